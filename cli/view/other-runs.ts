import { readdirSync } from "node:fs";
import { join } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import { jobFolders } from "../../reports/viewer/jobs/job-list.ts";
import { hasTrace } from "../../traces/format/trace-files.ts";
import type { RunOverview } from "../../traces/read/run-overview.ts";
import { overviewsBelow } from "../../traces/store/known-runs.ts";

/** An answer is good for so long at least, and for so many times as long as it took: pages ask again and again, and for one part after the other. */
const fresh = { leastMs: 3_000, times: 20 };

/** The runs below some folders that lie in no job, the newest first. */
export function otherRuns(roots: readonly string[]): () => Promise<readonly RunOverview[]> {
  let known: { until: number; readonly runs: Promise<readonly RunOverview[]> } | undefined;
  const read = async (): Promise<readonly RunOverview[]> => {
    const jobs = new Set(await jobFolders(roots));
    const runs: RunOverview[] = [];
    for (const folder of roots.flatMap((root) => outside(root, jobs)))
      try {
        runs.push(...(await overviewsBelow([folder])));
      } catch (error) {
        if (!(error instanceof CannotError)) throw error; // a folder without any run
      }
    return runs.toSorted((a, b) => b.startedAt - a.startedAt);
  };
  return () => {
    if (known && Date.now() < known.until) return known.runs;
    const began = Date.now();
    const asked = { until: Number.POSITIVE_INFINITY, runs: read() };
    const settle = (): void => void (asked.until = Date.now() + Math.max(fresh.leastMs, (Date.now() - began) * fresh.times));
    asked.runs.then(settle, settle);
    known = asked;
    return asked.runs;
  };
}

/** A folder, or what lies in it besides jobs. */
function outside(root: string, jobs: ReadonlySet<string>): string[] {
  if (jobs.has(root)) return [];
  const below = readdirSync(root, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [join(root, entry.name)] : []));
  return below.some((path) => jobs.has(path)) ? below.filter((path) => !jobs.has(path) && hasTrace(path)) : [root];
}
