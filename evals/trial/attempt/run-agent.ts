import { DeadlineError } from "../../../harness/contract/run-result.ts";
import { ConfigError } from "../../../harness/errors.ts";
import { asUser } from "../../../harness/sandbox/as-user.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { timerMs } from "../../../harness/timer-ms.ts";
import type { TrialRun } from "../../bench-ports.ts";
import { agentName } from "../trial-key.ts";
import { givenUp } from "./given-up.ts";
import { readyForAgent } from "../sandbox/ready-for-agent.ts";
import type { AttemptSetting, TrialPlan } from "../trial-plan.ts";
import { refuseAbsent } from "./refuse-absent.ts";
import { createRunSteps } from "./trial-progress.ts";
import type { RunTally } from "../evidence/run-tally.ts";
import { withNetwork } from "../sandbox/phase-network.ts";

/** The configuration, not the task, is at fault: no trial of it can work. `cause` is the `ConfigError`. */
export class UnusableConfig extends Error {}

/**
 * One run of the agent on the plan's task, as the task's user, with its network, under its time limit. What the run says of the configuration is told
 * apart from what anything else says of the task.
 * @throws UnusableConfig, InfraError; ConfigError for a task whose image lacks what the task names
 */
export async function runAgent(plan: TrialPlan, setting: AttemptSetting, sandbox: Sandbox, tally: RunTally): Promise<TrialRun> {
  const isFirst = (setting.until?.length ?? 1) === 1; // later on, an agent may be why something is not there
  if (isFirst) await refuseAbsent(plan.task, sandbox, setting.signal);
  await readyForAgent(plan, sandbox, setting.signal);
  const { agent, environment } = plan.task;
  return withNetwork(sandbox, environment, agent.network, async () => {
    try {
      const run = await runInTime(plan, setting, asUser(sandbox, agent.user), tally);
      const { outcome } = run.result;
      if (outcome.type !== "error" || outcome.kind !== "config") return run;
      await run.trace.close();
      throw new ConfigError(outcome.message);
    } catch (error) {
      throw error instanceof ConfigError ? new UnusableConfig(error.message, { cause: error }) : error;
    }
  });
}

async function runInTime(plan: TrialPlan, setting: AttemptSetting, sandbox: Sandbox, tally: RunTally): Promise<TrialRun> {
  const deadlineMs = plan.task.agent.timeoutMs;
  const deadline = new AbortController();
  const steps = createRunSteps();
  const late = (): void => deadline.abort(new DeadlineError(`The agent's time limit of ${deadlineMs} ms is over.`));
  const ended = new AbortController();
  setting.ports.clock.sleep(timerMs(deadlineMs), ended.signal).then(late, () => undefined); // it has ended before
  const signal = AbortSignal.any([deadline.signal, setting.signal]);
  try {
    let isOver = false;
    const run = setting.ports.run({
      config: plan.config,
      task: plan.task,
      sandbox,
      agent: plan.agent,
      seed: plan.seed,
      folder: setting.folder,
      signal,
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
        if (isOver) return;
        tally.add(event);
        const step = steps(event);
        if (step) setting.onStep?.(step);
      },
    });
    return await givenUp(run, signal, { onGivenUp: () => (isOver = true) });
  } finally {
    ended.abort();
  }
}
