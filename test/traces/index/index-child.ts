// Reads all runs of a folder into an index and prints how many there are: argv = index, folder.
import { openRunIndex } from "../../../traces/index/run-index.ts";

const [path = "", folder = ""] = process.argv.slice(2);
const index = await openRunIndex(path);
const runs = index.runsBelow(folder);
for (const run of runs) await index.update(run);
index.close();
console.log(runs.length);
