// npm run bench: what Forge itself costs, as ratios and ceilings measured in one run. Exits 1 when something is over its ceiling.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { missing } from "./setup/missing.mjs";
import { build, must, root } from "./setup/prepare.mjs";

process.chdir(root);
console.error("Building …");
build();
// Next to the product in dist, so that what is measured is what is shipped; the next build leaves it out again.
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
must("Compiling the measurements", process.execPath, [compiler, "-p", join("scripts", "bench", "tsconfig.json")]);
// The compiler wrote the product's files too, as they are before this.
must("Tightening what was compiled", process.execPath, [join(root, "scripts", "setup", "tighten.mjs")]);
const compiled = join(root, "dist", "scripts");
try {
  const { runSpeedBench } = await import(pathToFileURL(join(compiled, "bench", "run-speed-bench.js")).href);
  process.exitCode = await runSpeedBench(process.argv.slice(2), { root, withoutDocker: missing("docker") });
} finally {
  rmSync(compiled, { recursive: true, force: true });
}
