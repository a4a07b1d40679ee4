import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import { hashFolder } from "../../harness/sandbox/workspace/workspace-hash.ts";
import type { TraceRecorder } from "../record/trace-writer.ts";

/** Seals the trace of an everyday run with the hash of its folder, once nothing that the agent left running can change it any more. */
export async function sealRun(trace: TraceRecorder, workspace: Sandbox, folder: string): Promise<void> {
  await workspace.endProcesses().catch(() => undefined);
  const taken = await hashFolder(folder);
  if (taken.hash === null) trace.evidence("note", { text: taken.why });
  else trace.evidence("fs.snapshot", { tree: taken.hash });
  trace.seal(taken.hash);
}
