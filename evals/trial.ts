import { DeadlineError } from "../harness/agent/result.ts";
import { ConfigError, messageOf } from "../harness/errors.ts";
import { SandboxPathError, type Sandbox, type SandboxUsage } from "../harness/sandbox/sandbox.ts";
import type { TrialRun } from "./bench-ports.ts";
import { broken, type Ending } from "./trial/ending.ts";
import { judgeHardened } from "./trial/judge-hardened.ts";
import { judgeOfficial } from "./trial/judge-official.ts";
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
 * Whatever happens in it is an outcome with a class. Throws only `ConfigError`: the job cannot go on.
 */
export async function runTrial(plan: TrialPlan, setting: AttemptSetting): Promise<TrialRecord> {
  const startedAt = setting.ports.clock.now();
  const tally = createRunTally();
  let sandbox: Sandbox | undefined;
  let run: TrialRun | undefined;
  let usage: SandboxUsage | undefined;
  let ending: Ending;
  try {
    sandbox = await createSandbox(plan, setting, knowsSolution(plan) ? plan.task.solution?.env : {});
    await placeSolution(plan, sandbox);
    run = await runInTime(plan, setting, sandbox, tally);
    usage = await sandbox.usage().catch(() => undefined);
    ending = await judge(plan, setting, sandbox, run, tally);
  } catch (error) {
    if (error instanceof ConfigError) {
      await run?.trace.close();
      await sandbox?.close().catch(() => undefined);
      throw error;
    }
    ending = setting.signal.aborted ? { class: "cancelled" } : { class: "infra", error: messageOf(error) };
  }
  const closed = sandbox?.close().catch(() => undefined); // what cannot be removed now, the sweep at the next start removes
  const record = (): TrialRecord => recordOf({ plan, setting, startedAt, run, usage, tally, ending });
  const sealed = await sealTrial(run, record, ending, setting.folder).catch((error: unknown) => {
    ending = { class: "infra", error: messageOf(error) };
    return record();
  });
  await closed;
  return sealed;
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

/** A limit reached, time too, still gets its work verified; only a run that broke or was cancelled does not. */
async function judge(plan: TrialPlan, setting: AttemptSetting, sandbox: Sandbox, run: TrialRun, tally: RunTally): Promise<Ending> {
  const { outcome } = run.result;
  if (outcome.type === "cancelled") return { class: "cancelled" };
  if (outcome.type === "error" && outcome.kind === "config") throw new ConfigError(outcome.message);
  if (outcome.type === "error" && outcome.kind === "infra") return broken(plan, setting, sandbox, tally, outcome.message);
  try {
    return await (plan.mode === "hardened" ? judgeHardened : judgeOfficial)(plan, setting, sandbox);
  } catch (error) {
    if (error instanceof ConfigError || setting.signal.aborted) throw error;
    // Left by the agent, and nothing that could be carried anywhere: an archive that breaks out, a tree beyond all limits.
    if (error instanceof SandboxPathError) return { class: "agent", rewards: null, score: 0, error: error.message };
    return broken(plan, setting, sandbox, tally, messageOf(error));
  }
}
