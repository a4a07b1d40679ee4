import { createRequire } from "node:module";

/**
 * Loads a compiled module with all that it imports in one go, where this Node can: `import` then finds it loaded. Left to `import`, a command of some
 * hundred modules starts a fifth of a second later, for each of them goes through several promises. `from`: the `import.meta.url` of the caller.
 */
export function loadAtOnce(from: string, module: `${string}.js`): void {
  if (from.endsWith(".js") && canRequireModules) createRequire(from)(module);
}

/** Not where Node warns of it, which it did until 22.13 and 23.5. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const canRequireModules = major === 20 || (major === 22 && minor >= 13) || (major === 23 && minor >= 5) || major > 23;
