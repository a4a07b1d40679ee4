import { DeadlineError } from "../harness/agent/result.ts";
import { ConfigError } from "../harness/errors.ts";
import type { Sandbox, SandboxUsage } from "../harness/sandbox/sandbox.ts";
import type { TrialRun } from "./bench-ports.ts";
import { endingOf, judgeRun, type Ending } from "./trial/ending.ts";
import { createSandbox, type AttemptSetting, type TrialPlan } from "./trial/plan.ts";
import { recordOf } from "./trial/record-of.ts";
import { createRunSteps } from "./trial/run-steps.ts";
import { createRunTally, type RunTally } from "./trial/run-tally.ts";
import { sandboxPlaces } from "./trial/sandbox-places.ts";
import { sealTrial } from "./trial/seal-trial.ts";
import type { TrialRecord } from "./trial-record.ts";
import { agentName } from "./trial-key.ts";

/** The longest delay a timer takes. */
const longestTimer = 2 ** 31 - 1;

/**
 * One attempt at a trial: a fresh sandbox, the agent under its time limit, verification, the sealed trace; the containers are gone when it answers.
 * Whatever happens in it is an outcome with a class. Throws only `ConfigError`, of the agent's configuration: the job cannot go on.
 */
export async function runTrial(plan: TrialPlan, setting: AttemptSetting): Promise<TrialRecord> {
  const startedAt = setting.ports.clock.now();
  const tally = createRunTally();
  let sandbox: Sandbox | undefined;
  let run: TrialRun | undefined;
  let usage: SandboxUsage | undefined;
  let ending: Ending;
  try {
    const own = await createSandbox(plan, setting, knowsSolution(plan) ? plan.task.solution?.env : {});
    sandbox = own;
    await placeSolution(plan, own);
    run = await configured(() => runInTime(plan, setting, own, tally));
    const seen = await own.evidence?.();
    usage = seen?.usage ?? (await own.usage().catch(() => undefined));
    ending = await judgeRun(plan, setting, { sandbox: own, run, tally, seen, usage });
  } catch (error) {
    if (error instanceof UnusableConfig) {
      await sandbox?.close().catch(() => undefined);
      throw error.cause;
    }
    ending = endingOf(error, setting, { begun: sandbox !== undefined });
  }
  const closed = sandbox?.close().catch(() => undefined); // what cannot be removed now, the sweep at the next start removes
  const record = (): TrialRecord => recordOf({ plan, setting, startedAt, run, usage, tally, ending });
  const sealed = await sealTrial(run, record, ending, setting.folder).catch((error: unknown) => {
    ending = endingOf(error, setting, { begun: true });
    return record();
  });
  await closed;
  return sealed;
}

/** The configuration, not the task, is at fault: no trial of it can work. `cause` is the `ConfigError`. */
class UnusableConfig extends Error {}

/** The agent's run; what it says of the configuration is told apart from what anything else says of the task. */
async function configured(runs: () => Promise<TrialRun>): Promise<TrialRun> {
  try {
    const run = await runs();
    const { outcome } = run.result;
    if (outcome.type !== "error" || outcome.kind !== "config") return run;
    await run.trace.close();
    throw new ConfigError(outcome.message);
  } catch (error) {
    throw error instanceof ConfigError ? new UnusableConfig(error.message, { cause: error }) : error;
  }
}

/** Only an agent that runs the solution gets it; the tests are nowhere in the sandbox yet. */
async function placeSolution(plan: TrialPlan, sandbox: Sandbox): Promise<void> {
  const { agent, task } = plan;
  if (!knowsSolution(plan)) return;
  if (!task.solution)
    throw new ConfigError(
      `${task.folder} has no solution/, so agent "${agentName(agent)}" cannot work on it; write solution/solve.sh, or leave the task out with --filter.`,
    );
  await sandbox.upload(task.solution.folder, (await sandboxPlaces(sandbox)).solution);
}

const knowsSolution = ({ agent }: TrialPlan): boolean => agent !== "configured" && agent !== "nop";

async function runInTime(plan: TrialPlan, setting: AttemptSetting, sandbox: Sandbox, tally: RunTally): Promise<TrialRun> {
  const deadlineMs = plan.task.agent.timeoutMs;
  const deadline = new AbortController();
  const steps = createRunSteps();
  const late = (): void => deadline.abort(new DeadlineError(`The agent's time limit of ${deadlineMs} ms is over.`));
  const timer = setTimeout(late, Math.min(deadlineMs, longestTimer));
  try {
    return await setting.ports.run({
      config: plan.config,
      task: plan.task,
      sandbox,
      agent: plan.agent,
      seed: plan.seed,
      folder: setting.folder,
      signal: AbortSignal.any([deadline.signal, setting.signal]),
      deadlineMs,
      meta: {
        forgeVersion: setting.ports.forgeVersion,
        job: setting.job,
        trial: { key: plan.key, task: plan.task.name, configuration: plan.configuration, repeat: plan.repeat, attempt: setting.attempt },
        agent: agentName(plan.agent),
        mode: plan.mode,
        taskDigest: plan.task.digest,
        imageDigest: setting.prepared.digest,
        sandbox: plan.sandbox,
        workdir: sandbox.workdir,
        deadlineMs,
      },
      onEvent(event) {
        tally.add(event);
        const step = steps(event);
        if (step) setting.onStep?.(step);
      },
    });
  } finally {
    clearTimeout(timer);
  }
}
