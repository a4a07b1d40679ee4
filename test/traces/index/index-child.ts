// Makes many indexes and reads all runs of a folder into the last; prints how many runs there are: argv = index, folder.
import { openRunIndex } from "../../../traces/index/run-index.ts";

const [path = "", folder = ""] = process.argv.slice(2);
for (const i of Array(10).keys()) (await openRunIndex(`${path}-${i}`)).close();
const index = await openRunIndex(path);
const runs = index.runsBelow(folder);
for (const run of runs) await index.update(run);
index.close();
console.log(runs.length);
