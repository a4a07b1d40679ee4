import { existsSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The suites that come with Forge, by the name a user types. */
export const ownSuites = ["builtin", "demo"] as const;

/**
 * The folder that holds the suites shipped with Forge. Found from the package's root, because the compiled files lie one folder deeper than
 * the sources while the suites, being data, are not compiled.
 */
export function ownSuitesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!isPackageRoot(folder)) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("The package forge-lab was not found around its own files; install it again.");
    folder = parent;
  }
  return join(folder, "tasks", "suites");
}

/** True for a folder that Forge ships: such a task may run without a sandbox under a simulated model. */
export function isOwn(folder: string): boolean {
  return folder.startsWith(ownSuitesFolder() + sep);
}

function isPackageRoot(folder: string): boolean {
  const file = join(folder, "package.json");
  return existsSync(file) && /"name":\s*"forge-lab"/.test(readFileSync(file, "utf8"));
}
