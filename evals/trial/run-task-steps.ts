import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError, InfraError, messageOf } from "../../harness/errors.ts";
import { asUser } from "../../harness/sandbox/as-user.ts";
import { waitHealthy } from "../../harness/sandbox/healthcheck.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import { quote } from "../../harness/sandbox/shell/quote.ts";
import type { Task, TaskStep } from "../../tasks/task.ts";
import { writeJson } from "../write-json.ts";
import type { Ending } from "./ending.ts";
import type { AttemptSetting, TrialPlan } from "./plan.ts";
import { combineSteps, type StepOutcome } from "./combine-steps.ts";
import { runPhase, type Progress } from "./run-phase.ts";
import { sandboxPlaces } from "./sandbox-places.ts";

/**
 * A task of several steps: in one sandbox, one after the other, each with a run of the agent and a verification of its own. A step that cannot begin,
 * gives no reward, or less than it must, is the last. The first run lies in the attempt's folder, the others in `steps/<name>`; `steps.json` tells all.
 */
export async function runTaskSteps(
  plan: TrialPlan,
  steps: readonly TaskStep[],
  setting: AttemptSetting,
  sandbox: Sandbox,
  progress: Progress,
): Promise<Ending> {
  if (plan.mode === "hardened")
    throw new ConfigError(`${plan.task.folder}: a task of several steps cannot be verified in hardened mode; choose --mode official.`);
  const outcomes: StepOutcome[] = [];
  let last: Ending | undefined;
  for (const [i, step] of steps.entries()) {
    const place = join("steps", step.name);
    const { verifier: _, ...rest } = setting;
    const verifier = setting.stepVerifiers?.[i];
    const at = i === 0 ? {} : { folder: join(setting.folder, place), trace: `${setting.trace}/${place}` };
    const own: AttemptSetting = { ...rest, ...(verifier && { verifier }), ...at };
    await mkdir(own.folder, { recursive: true });
    const why = await prepareStep(step, sandbox, { after: steps[i - 1], signal: setting.signal });
    if (why !== undefined) {
      outcomes.push({ name: step.name, rewards: null, why });
      break;
    }
    last = await runPhase({ ...plan, task: taskOfStep(plan.task, step) }, own, sandbox, progress);
    if (last.class === "infra" || last.class === "cancelled") return last;
    const rewards = "rewards" in last ? last.rewards : null;
    const error = "why" in last ? last.why : "error" in last ? last.error : undefined;
    outcomes.push({ name: step.name, rewards, ...(error === undefined ? {} : { why: error }) });
    if (rewards === null || missed(rewards, step.minReward)) break;
  }
  await writeJson(join(setting.folder, "steps.json"), {
    v: 1,
    reward: plan.task.stepReward ?? "mean",
    planned: steps.length,
    steps: outcomes,
  });
  return combineSteps(outcomes, plan.task.stepReward ?? "mean", last);
}

/** The step as a task of its own, in the task's environment, whose health check has passed already. */
export function taskOfStep(task: Task, { instruction, agent, verifier, solution, artifacts }: TaskStep): Task {
  const { solution: _, steps: __, ...rest } = task;
  return { ...rest, instruction, agent, verifier, ...(solution && { solution }), artifacts: [...task.artifacts, ...artifacts] };
}

function missed(rewards: Readonly<Record<string, number>>, least: TaskStep["minReward"] = {}): boolean {
  return Object.entries(least).some(([name, threshold]) => !((rewards[name] ?? -Infinity) >= threshold));
}

/** Takes the last step's tests away, brings the step's files, runs its set-up and its health check. Answers why the step cannot begin. */
export async function prepareStep(
  step: TaskStep,
  sandbox: Sandbox,
  { after, signal }: { after: TaskStep | undefined; signal: AbortSignal },
): Promise<string | undefined> {
  const { tests, verifierLogs } = await sandboxPlaces(sandbox);
  const root = sandbox.kind === "docker" ? { user: "root" } : {};
  if (after && !after.verifier.environment) {
    const [a, b] = [quote(tests), quote(verifierLogs)];
    await sandbox.exec(`rm -rf -- ${a} ${b}; mkdir -p -- ${b}; chmod 777 ${b}`, { cwd: "/", signal, ...root });
  }
  try {
    if (step.workdirFolder !== undefined) await sandbox.upload(step.workdirFolder, sandbox.workdir);
    const agent = asUser(sandbox, step.agent.user);
    if (step.setup) {
      const ran = await agent.exec("bash ./setup.sh", { timeoutMs: step.agent.timeoutMs, signal, maxBytes: 64 * 1024 });
      const said = new TextDecoder().decode(ran.stderr).trim().slice(-300);
      if (ran.exitCode !== 0) return `setup.sh of step ${step.name} ended with ${ran.exitCode ?? ran.status} (${said})`;
    }
    const user = step.agent.user === undefined ? {} : { user: step.agent.user };
    if (step.healthcheck) await waitHealthy(sandbox, step.healthcheck, { signal, what: `step ${step.name}`, ...user });
    return undefined;
  } catch (error) {
    // Before the first step only the task itself can be at fault, or the machinery.
    if (signal.aborted || (after === undefined && error instanceof InfraError)) throw error;
    return messageOf(error);
  }
}
