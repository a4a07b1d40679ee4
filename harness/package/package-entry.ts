import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { InfraError } from "../errors.ts";

/**
 * The file behind `forge-lab` (`index`) or `forge-lab/testing` (`testing`) of the package that runs: the source's `index.ts` when it runs
 * from source, `dist/index.js` when it was built.
 * @param from a folder inside the package.
 */
export function packageEntry(from: string, entry: "index" | "testing"): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (existsSync(manifest) && /"name":\s*"forge-lab"/.test(readFileSync(manifest, "utf8"))) {
      const built =
        from === join(folder, "dist") || from.startsWith(join(folder, "dist") + "/") || from.startsWith(join(folder, "dist") + "\\");
      return built ? join(folder, "dist", `${entry}.js`) : join(folder, `${entry}.ts`);
    }
    if (dirname(folder) === folder) throw new InfraError(`Forge's own package.json was not found above ${from}; install forge-lab again.`);
  }
}
