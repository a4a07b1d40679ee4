import { readdirSync } from "node:fs";
import { join } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import { jobFolders } from "../../reports/viewer/jobs/job-list.ts";
import { hasTrace } from "../../traces/read/trace-bytes.ts";
import type { RunOverview } from "../../traces/read/run-overview.ts";
import { overviewsBelow } from "../known-runs.ts";

/** An answer is good for so long: pages ask for parts of the list one after the other. */
const freshMs = 3_000;

/** The runs below some folders that lie in no job, the newest first. */
export function otherRuns(roots: readonly string[]): () => Promise<readonly RunOverview[]> {
  let known: { readonly at: number; readonly runs: Promise<readonly RunOverview[]> } | undefined;
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
    if (!known || Date.now() - known.at > freshMs) known = { at: Date.now(), runs: read() };
    return known.runs;
  };
}

/** A folder, or what lies in it besides jobs. */
function outside(root: string, jobs: ReadonlySet<string>): string[] {
  if (jobs.has(root)) return [];
  const below = readdirSync(root, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [join(root, entry.name)] : []));
  return below.some((path) => jobs.has(path)) ? below.filter((path) => !jobs.has(path) && hasTrace(path)) : [root];
}
