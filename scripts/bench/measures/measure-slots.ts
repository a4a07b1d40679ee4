import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { createBenchPorts } from "../../../assembly/create-bench-ports.ts";
import { bench } from "../../../evals/bench/bench.ts";
import type { ResolvedConfig } from "../../../harness/contract/resolved-config.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import type { Suite } from "../../../tasks/task.ts";
import type { Measured } from "../measure.ts";
import { withSandboxes } from "../with-sandboxes.ts";

/** How long the agent of each trial waits for its model, all calls together. */
const modelMs = 15_000;

/**
 * What share of its slots' time a job spends with an agent or a verifier. An agent's time is its run. A verifier's time goes from the run's end, when what
 * the agent left is taken, to the last answer of the sandbox in which the tests ran. Making sandboxes, writing down and removing is neither. A slot's time
 * runs from the job's begin to the end of its last trial.
 */
export async function measureSlots(
  folder: string,
  say: (line: string) => void,
  o: { readonly what: string; readonly suite: Suite; readonly config: ResolvedConfig; readonly trials: number; readonly jobs: number },
): Promise<Measured> {
  const { suite, trials, jobs } = o;
  say(`slots: ${trials} trials, ${jobs} at a time, ${modelMs / 1000} s of a model each`);
  const made = await createBenchPorts({});
  /** When a sandbox of a trial last answered, by the trial's label. */
  const answered = new Map<string, number>();
  const ports = withSandboxes(made, (sandbox, trial) => telling(sandbox, () => answered.set(trial, performance.now())));
  const repeats = trials / suite.tasks.length;
  const out = join(folder, "slots");
  let agentMs = 0;
  let verifierMs = 0;
  let lastEnds: number[] = [];
  const ran = new Map<string, number>();
  const begin = performance.now();
  await bench(
    { suite, configurations: [o.config], agent: "oracle", sandbox: "docker", repeats, jobs, out, asked: {} },
    {
      ...ports,
      async run(request) {
        const before = performance.now();
        await wait(modelMs, undefined, { signal: request.signal });
        const run = await ports.run(request);
        agentMs += performance.now() - before;
        ran.set(request.folder, performance.now());
        return run;
      },
    },
    {
      onEvent(event) {
        if (event.type !== "trial.end") return;
        const { task, configuration, repeat } = event.trial;
        const since = ran.get(join(out, event.record.trace));
        const until = answered.get(`${task}/${configuration}/${repeat}/${event.record.attempt}`);
        if (since !== undefined && until !== undefined) verifierMs += until - since;
        lastEnds = [...lastEnds, performance.now()].slice(-jobs);
      },
    },
  );
  const slotMs = lastEnds.reduce((sum, end) => sum + (end - begin), 0);
  const share = (agentMs + verifierMs) / slotMs;
  const each = (ms: number): string => `${(ms / trials / 1000).toFixed(2)} s`;
  return {
    what: o.what,
    value: share * 100,
    unit: "%",
    limit: { at: "least", value: 97 },
    note: `${jobs} at a time; a trial: ${each(agentMs)} agent, ${each(verifierMs)} verifier, ${each(slotMs - agentMs - verifierMs)} other`,
  };
}

/** Makes a sandbox tell each of its answers to a command. */
function telling(sandbox: Sandbox, hear: () => void): Sandbox {
  const { exec } = sandbox;
  return Object.assign(sandbox, { exec: (...words: Parameters<Sandbox["exec"]>) => exec.apply(sandbox, words).finally(hear) });
}
