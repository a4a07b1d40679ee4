import { detectors } from "../../analyzer/detectors/detectors.ts";
import { findFaults, type Faults } from "../../analyzer/detectors/find-faults.ts";
import type { AnalyzedRun } from "../../analyzer/runs/analyzed-run.ts";
import { findSources } from "../../analyzer/runs/find-sources.ts";
import { createRunReader, isLeftOut } from "../../analyzer/runs/read-runs.ts";

export interface Looked {
  readonly run: AnalyzedRun;
  readonly found: Faults;
}

/** Every run of the sources with what the rules say of it, one after the other; what cannot be read is counted on standard error. */
export async function* faultsOf(sources: readonly string[]): AsyncGenerator<Looked> {
  const reader = createRunReader();
  let left = 0;
  for (const place of await findSources(sources, new AbortController().signal)) {
    const inspected = await reader.inspect(place);
    const run = isLeftOut(inspected) ? inspected : await reader.read(inspected);
    if (isLeftOut(run)) left++;
    else yield { run, found: findFaults(run, detectors) };
  }
  if (left > 0) process.stderr.write(`${left} runs left out\n`);
}
