import { join } from "node:path";
import { createBenchPorts } from "../../../assembly/create-bench-ports.ts";
import { configRegistry, replayParts } from "../../../assembly/registry.ts";
import { findAgent } from "../../../evals/agents/find-adapter.ts";
import { bench } from "../../../evals/bench/bench.ts";
import type { BenchEvent } from "../../../evals/bench/bench-events.ts";
import type { BenchPorts } from "../../../evals/bench-ports.ts";
import type { BenchRequest } from "../../../evals/bench/bench-request.ts";
import type { TrialRecord } from "../../../evals/trial/trial-record.ts";
import { loadConfig } from "../../../harness/config/load-config.ts";
import type { ConfigFile } from "../../../harness/config/schema.ts";
import type { ResolvedConfig } from "../../../harness/contract/resolved-config.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import type { Task } from "../../../tasks/task.ts";
import { judgeRun, type RunAnswer } from "../../../traces/replay/corpus/judge-run.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { fixtureRequest } from "../bench-fixture.ts";

const root = join(import.meta.dirname, "../../..");

/** A task that the simulated model plays through without a fault. */
export const greet = (): Promise<Task> => loadTask(join(root, "tasks/suites/demo/greet"), { own: true });

/** An agent of Python's own library that solves a task with bash. */
export const scripted: ConfigFile = {
  agent: { command: 'python3 "$HOME/agent.py"', wire: "openai-chat" },
  files: { "~/agent.py": join(root, "test/fixtures/agents/scripted-agent.py") },
};

export async function resolve(config: ConfigFile, name = "other"): Promise<ResolvedConfig> {
  const sources = [{ kind: "values", label: "test", folder: root, config: { model: "sim/perfect", ...config } }] as const;
  return { ...(await loadConfig(sources, { ...configRegistry, agents: findAgent })), name };
}

export interface AgentTrial {
  readonly record: TrialRecord;
  readonly events: readonly RunEvent[];
  /** Of its run. */
  readonly folder: string;
  readonly answer: RunAnswer;
}

/** A job of these configurations, one trial at a time, to its end or to the error that stopped it. */
export async function benchAgents(
  configurations: readonly ConfigFile[],
  o: { readonly repeats?: number; readonly tasks?: readonly Task[]; readonly env?: NodeJS.ProcessEnv } = {},
) {
  const resolved = await Promise.all(configurations.map((config, i) => resolve(config, `arm-${i + 1}`)));
  const change = { configurations: resolved, agent: "configured", repeats: o.repeats ?? 1, jobs: 1, mode: "official" } as const;
  const request = await fixtureRequest([...(o.tasks ?? [await greet()])], change);
  const records: TrialRecord[] = [];
  const onEvent = (event: BenchEvent): void => void (event.type === "trial.end" && records.push(event.record));
  const ended = await bench(request, await createBenchPorts(o.env ?? {}), { retryMs: 1, onEvent }).then(
    (result) => ({ result, error: undefined }),
    (error: unknown) => ({ result: undefined, error }),
  );
  return { ...ended, records, folder: request.out ?? "" };
}

/** One trial of each configuration on a task, each replayed. */
export async function tryAgents(
  configurations: readonly ConfigFile[],
  o: {
    readonly task?: Task;
    readonly sandbox?: BenchRequest["sandbox"];
    readonly env?: NodeJS.ProcessEnv;
    readonly ports?: BenchPorts;
  } = {},
): Promise<AgentTrial[]> {
  const resolved = await Promise.all(configurations.map((config, i) => resolve(config, `arm-${i + 1}`)));
  const request = await fixtureRequest([o.task ?? (await greet())], {
    configurations: resolved,
    agent: "configured",
    sandbox: o.sandbox ?? "local",
    ...(o.sandbox === "docker" ? {} : { mode: "official" as const }), // verified in the same sandbox, which is half the work
  });
  const records: TrialRecord[] = [];
  await bench(request, o.ports ?? (await createBenchPorts(o.env ?? {})), {
    retryMs: 1,
    onEvent: (event) => void (event.type === "trial.end" && records.push(event.record)),
  });
  return Promise.all(
    resolved.map(async ({ name }) => {
      const record = records.find(({ configuration }) => configuration === name);
      if (!record) throw new Error(`no record of ${name}`);
      const folder = join(request.out ?? "", record.trace);
      const { events } = await loadTrace(folder);
      return { record, events, folder, answer: await judgeRun(folder, {}, replayParts({ trust: true })) };
    }),
  );
}
