import { join } from "node:path";
import type { JsonObject } from "../../../harness/json.ts";
import type { OpenTrace, TrialRun } from "../../bench-ports.ts";
import type { TrialRecord } from "../trial-record.ts";
import { writeJson } from "../../../harness/files/write-json.ts";
import type { Ending } from "../classify/classify-outcome.ts";
import type { Workspace } from "../verify/judgement.ts";
import type { Delta } from "../keep/diff-trees.ts";

/** Names kept in the evidence; the whole list is in the attempt's `delta.json`. */
const maxNames = 500;

/**
 * Adds the verdict to the trace, writes the attempt's record, then seals: a sealed attempt always has its record, so a crash between the two loses
 * neither and none is paid for again.
 */
export async function sealTrial(
  run: TrialRun | undefined,
  record: () => TrialRecord,
  ending: Ending,
  folder: string,
): Promise<TrialRecord> {
  const workspace = "workspace" in ending ? ending.workspace : undefined;
  try {
    if (run && workspace) noteWorkspace(run.trace, workspace);
    if (run && "score" in ending) run.trace.evidence("verifier.result", verdictOf(record()));
    const final = record();
    await writeJson(join(folder, "record.json"), final);
    await run?.trace.seal(workspace?.hash.hash ? { workspaceHash: workspace.hash.hash } : {});
    return final;
  } finally {
    await run?.trace.close();
  }
}

function noteWorkspace(trace: OpenTrace, { hash, delta }: Workspace): void {
  if (hash.hash === null) trace.evidence("note", { text: hash.why, ...namesOf(delta) });
  else trace.evidence("fs.snapshot", { tree: hash.hash, ...namesOf(delta) });
}

function verdictOf({ rewards, score, passed, mode, error }: TrialRecord): JsonObject {
  return { rewards, score, passed: passed ?? false, mode, ...(error === undefined ? {} : { why: error }) };
}

function namesOf(delta: Delta | undefined): JsonObject {
  if (!delta) return {};
  const changed = [...delta.written, ...delta.links.map(({ path }) => path)];
  return {
    changed: changed.slice(0, maxNames),
    removed: delta.removed.slice(0, maxNames),
    refused: delta.refused.slice(0, maxNames),
    counts: { changed: changed.length, removed: delta.removed.length, refused: delta.refused.length },
  };
}
