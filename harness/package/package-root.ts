import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The folder of the package, found from this file upwards: the compiled files lie one folder deeper than the sources, while what is data
 * (suites, a verifier's common part) is not compiled.
 */
export function packageRoot(): string {
  return (root ??= findRoot());
}

/** It stays where it is: every task of a suite asks. */
let root: string | undefined;

function findRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!isPackageRoot(folder)) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("The package forge-lab was not found around its own files; install it again.");
    folder = parent;
  }
  return folder;
}

function isPackageRoot(folder: string): boolean {
  const file = join(folder, "package.json");
  return existsSync(file) && /"name":\s*"forge-lab"/.test(readFileSync(file, "utf8"));
}
