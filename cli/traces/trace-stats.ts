import { ForgeError, messageOf } from "../../harness/errors.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { describeTraceStats } from "../../reports/terminal/trace-stats.ts";
import { loadTrace } from "../../traces/read/load-trace.ts";
import { createTraceStats } from "../../traces/read/run-stats.ts";
import type { TornTail } from "../../traces/read/torn-tail.ts";
import { openTraceBytes } from "../../traces/read/trace-bytes.ts";
import { findAllRuns } from "../../traces/store/find-runs.ts";
import { nameRuns, runName } from "../../traces/read/run-name.ts";
import { sayTorn } from "../shared/say-torn.ts";

/** Sums over all runs of the folders; answers the exit code: the gravest reason why one was left out. */
export async function traceStats(folders: readonly string[], o: { json?: boolean }): Promise<number> {
  const stats = createTraceStats();
  const torn: ({ run: string } & TornTail)[] = [];
  let exitCode = 0;
  for (const run of await findAllRuns(folders)) {
    try {
      const trace = await loadTrace(run);
      stats.add(trace, openTraceBytes(run).bytes);
      if (trace.torn) torn.push({ run: runName(run), ...trace.torn });
      if (!o.json) sayTorn(run, trace.torn);
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      exitCode = Math.max(exitCode, error.exitCode);
      process.stderr.write(`${oneLine(runName(run))}: left out: ${oneLine(nameRuns(messageOf(error)))}\n`);
    }
  }
  const result = stats.result();
  process.stdout.write(`${o.json ? jsonLine({ type: "stats", ...result, torn }) : describeTraceStats(result)}\n`);
  return exitCode;
}
