import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseSandbox } from "../../evals/bench/choose-sandbox.ts";
import type { DraftCheck } from "../../tasks/scaffold/draft-check.ts";
import { loadTask } from "../../tasks/formats/load-task.ts";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import { configRegistry } from "../../assembly/registry.ts";
import { checkConfig, gateTask } from "../../evals/gate/gate-task.ts";
import { oneLine } from "../../harness/text/printable.ts";
import type { DraftFlags } from "./options.ts";

/** A quick look at a task that has just been written: real trials of its solution, of nothing, and of its wrong solutions. Throws the reason when stopped. */
export async function lookAtDraft(folder: string, asked: DraftFlags["sandbox"], stop: AbortSignal): Promise<DraftCheck> {
  const task = await loadTask(folder);
  const ports = await createBenchPorts(process.env, { onFallback: (sentence) => void process.stderr.write(`${oneLine(sentence)}\n`) });
  const sandbox = await chooseSandbox(asked, [task], { ports, harmless: true });
  const config = await checkConfig(configRegistry);
  const scratch = await mkdtemp(join(tmpdir(), "forge-check-"));
  try {
    return { ...(await gateTask(task, { ports, sandbox, config, folder: scratch, stop }, { full: false, repeats: 1 })), sandbox };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
