import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { endingOf, type Ending } from "../classify/classify-outcome.ts";
import { machineryFault } from "../evidence/evidence.ts";
import { createSandbox, letGo, programOf } from "../sandbox/make-sandbox.ts";
import type { AttemptSetting, TrialPlan } from "../trial-plan.ts";
import { recordOf } from "./make-record.ts";
import { knowsSolution } from "../sandbox/ready-for-agent.ts";
import { UnusableConfig } from "./run-agent.ts";
import { runPhase, type Progress } from "./run-phase.ts";
import { createRunTally } from "../evidence/run-tally.ts";
import { runTaskSteps } from "./run-each-step.ts";
import { sealTrial } from "./seal-trial.ts";
import type { TrialRecord } from "../trial-record.ts";
import type { Spent } from "../../../harness/contract/run-result.ts";
import type { TrialRun } from "../../bench-ports.ts";

/**
 * One attempt at a trial: a fresh sandbox, the agent under its time limit, verification, the sealed trace; the containers are gone when it answers, or
 * on their way out where `onRemoval` hears of them. Whatever happens in it is an outcome with a class. Throws only `ConfigError`, of the agent's configuration: the job cannot go on.
 */
export async function runTrial(plan: TrialPlan, asked: AttemptSetting): Promise<TrialRecord> {
  const removals: Promise<void>[] = [];
  const setting = { ...asked, onRemoval: asked.onRemoval ?? ((gone: Promise<void>): void => void removals.push(gone)) };
  const startedAt = setting.ports.clock.now();
  const progress: Progress = { tally: createRunTally(), runs: [], usage: undefined };
  const { steps, solution } = plan.task;
  let sandbox: Sandbox | undefined;
  let ending: Ending;
  try {
    const own = async (): Promise<Sandbox> =>
      createSandbox(
        plan,
        { ...setting, ...(await programOf(plan, setting.ports, { more: true })) },
        knowsSolution(plan) ? solution?.env : {},
      );
    sandbox = await (setting.sandbox ?? own());
    ending = await (steps ? runTaskSteps(plan, steps, setting, sandbox, progress) : runPhase(plan, setting, sandbox, progress));
  } catch (error) {
    if (error instanceof UnusableConfig) {
      for (const { trace } of progress.runs) await trace.close();
      await sandbox?.close().catch(() => undefined);
      throw error.cause;
    }
    // Its keeper may know more of it than what failed.
    const fault = setting.signal.aborted ? undefined : machineryFault(await sandbox?.evidence?.());
    ending = endingOf(error, setting, { begun: sandbox !== undefined, ...(fault ? { fault } : {}) });
  }
  if (sandbox) await letGo(sandbox, setting);
  const { tally, usage } = progress;
  const run = oneRun(progress.runs);
  const record = (): TrialRecord => recordOf({ plan, setting, startedAt, run, usage, tally, ending });
  const sealed = await sealSteps(progress)
    .then(() => sealTrial(run, record, ending, setting.folder))
    .catch((error: unknown) => {
      ending = endingOf(error, setting, { begun: true });
      return record();
    });
  await Promise.all(removals);
  return sealed;
}

/** Later steps' traces before the first one's: the attempt counts as sealed when that is. */
async function sealSteps({ runs }: Progress): Promise<void> {
  for (const { trace } of runs.slice(1)) {
    await trace.seal({});
    await trace.close();
  }
}

/** Runs of several steps as one: the first one's trace, the last one's outcome, all that was spent. Undefined where none began. */
function oneRun(runs: readonly TrialRun[]): TrialRun | undefined {
  const [first, ...others] = runs;
  const last = runs.at(-1);
  if (!first || !last || others.length === 0) return first;
  return { ...last, trace: first.trace, result: { ...last.result, spent: runs.map(({ result }) => result.spent).reduce(add) } };
}

function add(a: Spent, b: Spent): Spent {
  return {
    turns: a.turns + b.turns,
    input: a.input + b.input,
    output: a.output + b.output,
    cached: a.cached + b.cached,
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
    activeMs: a.activeMs + b.activeMs,
  };
}
