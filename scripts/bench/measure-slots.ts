import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { createBenchPorts } from "../../cli/assemble.ts";
import { bench } from "../../evals/bench.ts";
import type { ResolvedConfig } from "../../harness/config/resolved.ts";
import type { Suite } from "../../tasks/task.ts";
import type { Measured } from "./measure.ts";

/** How long the agent of each trial waits for its model, all calls together. */
const modelMs = 15_000;

/**
 * What share of its slots' time a job spends with an agent or a verifier: the rest is making containers, writing down and waiting for each other.
 * A slot's time runs from the job's begin to the end of its last trial.
 */
export async function measureSlots(
  folder: string,
  say: (line: string) => void,
  o: { readonly what: string; readonly suite: Suite; readonly config: ResolvedConfig; readonly trials: number; readonly jobs: number },
): Promise<Measured> {
  const { suite, trials, jobs } = o;
  say(`slots: ${trials} trials, ${jobs} at a time, ${modelMs / 1000} s of a model each`);
  const ports = await createBenchPorts({});
  const repeats = trials / suite.tasks.length;
  const out = join(folder, "slots");
  let agentMs = 0;
  let verifierMs = 0;
  let lastEnds: number[] = [];
  const judged = new Map<string, number>();
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
        judged.set(request.folder, performance.now());
        return run;
      },
    },
    {
      onEvent(event) {
        if (event.type !== "trial.end") return;
        const now = performance.now();
        const since = judged.get(join(out, event.record.trace));
        if (since !== undefined) verifierMs += now - since;
        lastEnds = [...lastEnds, now].slice(-jobs);
      },
    },
  );
  const slotMs = lastEnds.reduce((sum, end) => sum + (end - begin), 0);
  const share = (agentMs + verifierMs) / slotMs;
  const each = (ms: number): string => `${(ms / trials / 1000).toFixed(1)} s`;
  return {
    what: o.what,
    value: share * 100,
    unit: "%",
    limit: { at: "least", value: 97 },
    note: `${jobs} at a time; a trial: ${each(agentMs)} agent, ${each(verifierMs)} verifier, ${each(slotMs - agentMs - verifierMs)} other`,
  };
}
