import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { bench } from "../bench/bench.ts";
import type { Agent, BenchPorts } from "../bench-ports.ts";
import type { BenchRequest } from "../bench/bench-request.ts";
import { agentName } from "../trial/trial-key.ts";
import type { TrialRecord } from "../trial/trial-record.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import type { SandboxKind } from "../../harness/sandbox/sandbox.ts";
import type { Task } from "../../tasks/task.ts";

export interface LoneTrialSetting {
  readonly ports: BenchPorts;
  readonly sandbox: SandboxKind;
  readonly config: ResolvedConfig;
  /** Scratch: the caller removes it. */
  readonly folder: string;
  readonly stop: AbortSignal;
}

/**
 * One trial like any other, in a job of its own below `folder`. A stop ends it at once, because nothing is kept of it. `verifier`: the end of what the
 * verifier printed. Throws the reason when it was stopped.
 */
export async function loneTrial(
  task: Task,
  agent: Agent,
  { ports, sandbox, config, folder, stop }: LoneTrialSetting,
  { label = "", ...change }: Pick<BenchRequest, "mode"> & { /** Keeps trials of one task and agent apart. */ readonly label?: string } = {},
): Promise<{ record: TrialRecord | undefined; out: string; verifier: string }> {
  const out = join(folder, `${task.name.replaceAll("/", "_")}-${agentName(agent)}${label}`);
  const request: BenchRequest = {
    suite: { name: task.name, digest: task.digest, tasks: [task] },
    configurations: [config],
    agent,
    repeats: 1,
    sandbox,
    jobs: 1,
    out,
    asked: { task: task.name },
    ...change,
  };
  let record: TrialRecord | undefined;
  await bench(request, ports, { stop, signal: stop, onEvent: (event) => void (event.type === "trial.end" && (record = event.record)) });
  stop.throwIfAborted();
  return { record, out, verifier: await verifierOutput(out) };
}

/** Where the reason stands. */
async function verifierOutput(out: string): Promise<string> {
  const files = await readdir(out, { recursive: true });
  const logs = files.filter((path) => /verifier[/\\](output|stdout|stderr)[^/\\]*$/.test(path));
  const texts = await Promise.all(logs.map((path) => readFile(join(out, path), "utf8").catch(() => "")));
  return texts.join("\n").trim().split("\n").slice(-5).join(" | ").slice(-500);
}
