import { existsSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** It stays where it is: every task of a suite asks. */
let root: string | undefined;

/**
 * The folder of the package, found from this file upwards: the compiled files lie one folder deeper than the sources, while what is data
 * (suites, a verifier's common part) is not compiled.
 */
export function packageRoot(): string {
  return (root ??= findRoot());
}

function findRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (existsSync(file) && /"name":\s*"forge-lab"/.test(readFileSync(file, "utf8"))) return folder;
    if (dirname(folder) === folder) throw new Error("The package forge-lab was not found around its own files; install it again.");
  }
}

/**
 * The file behind `forge-lab` (`index`) or `forge-lab/testing` (`testing`) of the package that runs: the source's `index.ts` when it runs
 * from source, `dist/index.js` when it was built.
 */
export function packageEntry(entry: "index" | "testing"): string {
  const built = fileURLToPath(import.meta.url).startsWith(join(packageRoot(), "dist") + sep);
  return built ? join(packageRoot(), "dist", `${entry}.js`) : join(packageRoot(), `${entry}.ts`);
}

/** Forge's own version. */
export const forgeVersion = (): string => manifest().version;

/** The versions of Node that Forge runs on, such as `>=20.19`. */
export const neededNode = (): string => manifest().engines.node;

const manifest = (): { version: string; engines: { node: string } } =>
  JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")) as { version: string; engines: { node: string } }; // our own file
