import { join, resolve } from "node:path";
import { jsonLine } from "../../reports/text/json-line.ts";
import { eventLine, runHead } from "../../reports/terminal/run-text.ts";
import { followTrace } from "../../traces/read/follow-trace.ts";
import { runOverview, type RunOverview } from "../../traces/read/run-overview.ts";
import { openBlobStore } from "../../traces/format/blob-store.ts";
import { decodeData } from "../../traces/format/decode.ts";
import { findRuns } from "../../traces/store/find-runs.ts";
import { runName } from "../../traces/read/run-name.ts";
import { sayTorn } from "../shared/say-torn.ts";
import { interruptible } from "../shared/interruptible.ts";

/** Prints a run's events as they are written, those that are there first, until it ends; answers the exit code. */
export async function tailRun(folder: string, o: { json?: boolean }): Promise<number> {
  const run = await newest(folder);
  const blobs = openBlobStore(join(run.folder, "blobs"));
  const shown = { cwd: process.cwd(), full: false, notKnown: run.notKnown ?? [] };
  if (!o.json) process.stdout.write(`${runHead({ ...run, folder: runName(run.folder) }, shown.cwd)}\n`);
  const { state: end, torn } = await interruptible(async ({ stop }) => {
    const lines = followTrace(run.folder, { signal: stop });
    for (let step = await lines.next(); ; step = await lines.next()) {
      if (step.done) return step.value;
      const { event: line } = step.value;
      const place = `${run.folder}: event ${line.seq} (${line.lane}#${line.n})`;
      const event = { ...line, d: decodeData(line.d, (hash) => blobs.get(hash), place) };
      if (o.json) process.stdout.write(`${jsonLine({ type: "event", event })}\n`);
      else if (line.t !== "model.request" && line.t !== "port.read") process.stdout.write(`${eventLine(event, shown)}\n`);
    }
  }).catch((error: unknown) => {
    if (error instanceof Error && error.message === "interrupted") return { state: "interrupted" as const, torn: null };
    throw error;
  });
  if (o.json) process.stdout.write(`${jsonLine({ type: "end", end, torn })}\n`);
  else
    process.stdout.write(
      end === "sealed" ? "the run is sealed\n" : end === "cut off" ? "the run's process has ended, and the run is not sealed\n" : "\n",
    );
  if (!o.json) sayTorn(run.folder, torn);
  return end === "interrupted" ? 130 : 0;
}

/** Of a folder with several runs the newest that is being written, else the newest. */
async function newest(folder: string): Promise<RunOverview> {
  const all: RunOverview[] = [];
  for (const run of await findRuns(folder)) all.push(await runOverview(resolve(run)));
  const sorted = all.toSorted((a, b) => b.startedAt - a.startedAt);
  const found = sorted.find(({ state }) => state === "running") ?? sorted[0];
  if (!found) throw new Error(`findRuns returned no run for ${folder}`); // it throws where there is none
  return found;
}
