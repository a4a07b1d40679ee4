import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the installed package, from source and from `dist` alike. */
function packageRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    try {
      const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { name?: string }; // our own file
      if (name === "forge-lab") return folder;
    } catch {
      // no package.json here: look one folder up
    }
    if (dirname(folder) === folder) throw new Error("The package forge-lab is not whole: its package.json is missing. Install it again.");
  }
}

/** Forge's own version. */
export function forgeVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")) as { version: string }).version; // our own file
}
