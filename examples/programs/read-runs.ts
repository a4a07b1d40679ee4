/** Reads a folder of runs, replays each without its model, and prints why those that failed did. Arguments: folders of jobs or runs. */
import { analyzeRuns, findRuns, loadTrace, replayRun } from "forge-lab";

const sources = process.argv.slice(2);
for (const run of await findRuns(sources)) {
  const { events } = await loadTrace(run);
  const calls = events.filter(({ t }) => t === "tool.call").length;
  const { verdict, text } = await replayRun(run);
  console.log(`${run}: ${events.length} events, ${calls} calls, ${verdict} (${text})`);
}
const { issues, notes } = await analyzeRuns({ sources, store: ".forge/issues", signal: AbortSignal.timeout(300_000) });
for (const { id, title } of issues) console.log(`${id}: ${title}`);
for (const note of notes) console.log(note);
