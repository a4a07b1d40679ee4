import { InfraError, messageOf } from "../../../harness/errors.ts";
import { asUser } from "../../../harness/sandbox/as-user.ts";
import { waitHealthy } from "../../../harness/sandbox/healthcheck.ts";
import { SandboxPathError, type Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { quote } from "../../../harness/sandbox/shell/quote.ts";
import type { Task, TaskStep } from "../../../tasks/task.ts";
import type { Mode } from "../trial-record.ts";
import { hostStory } from "../evidence/evidence.ts";
import { sandboxPlaces } from "./sandbox-places.ts";

/** The step as a task of its own, in the task's environment, whose health check has passed already. */
export function taskOfStep(task: Task, { instruction, agent, verifier, solution, artifacts }: TaskStep): Task {
  const { solution: _, steps: __, ...rest } = task;
  return { ...rest, instruction, agent, verifier, ...(solution && { solution }), artifacts: [...task.artifacts, ...artifacts] };
}

export interface StepPlace {
  /** The step before. */
  readonly after: TaskStep | undefined;
  readonly mode: Mode;
  readonly environment: Task["environment"];
  readonly signal: AbortSignal;
}

/** Why a step cannot begin. `broken`: its sandbox failed before the step's own health check, which the machinery may be at fault for. */
export interface CannotBegin {
  readonly why: string;
  readonly broken?: true;
}

/**
 * Makes the sandbox what a step begins with: the last step's tests taken away, or, in hardened mode, where there were none, all that its agent left running
 * ended and the container started again; then the step's files, its set-up and its health check.
 * @throws what this machine or the task's own files are at fault for, and official where the sandbox is gone after a step
 */
export async function prepareStep(step: TaskStep, sandbox: Sandbox, o: StepPlace): Promise<CannotBegin | undefined> {
  const { after, mode, environment, signal } = o;
  // A step that is not started is not counted in official mode: that its sandbox is gone must not be worth more than beginning it.
  if (after && mode === "official" && !after.verifier.environment) await takeTestsAway(sandbox, signal);
  let brought = false;
  try {
    if (after && mode === "hardened") {
      await (sandbox.restart?.({ signal }) ?? sandbox.endProcesses());
      if (environment.healthcheck) await waitHealthy(sandbox, environment.healthcheck, { signal });
    }
    const why = await bringStep(step, sandbox, signal);
    if (why !== undefined) return { why };
    brought = true;
    const user = step.agent.user === undefined ? {} : { user: step.agent.user };
    if (step.healthcheck) await waitHealthy(sandbox, step.healthcheck, { signal, what: `step ${step.name}`, ...user });
    return undefined;
  } catch (error) {
    const failed = error instanceof InfraError;
    // Before the first step only the task itself can be at fault, or the machinery.
    if (signal.aborted || (after === undefined && failed)) throw error;
    if (hostStory(error) || !(failed || error instanceof SandboxPathError)) throw error;
    return { why: messageOf(error), ...(failed && !brought ? { broken: true } : {}) };
  }
}

/** What an environment in which no agent was has when the last of these steps is verified. A set-up that needs the work of a step fails, and that is all. */
export async function bringSteps(steps: readonly TaskStep[], sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  for (const step of steps) await bringStep(step, sandbox, signal);
}

/** The step's files, and its set-up. Answers why that failed. */
async function bringStep(step: TaskStep, sandbox: Sandbox, signal: AbortSignal): Promise<string | undefined> {
  if (step.workdirFolder !== undefined) await sandbox.upload(step.workdirFolder, sandbox.workdir);
  if (!step.setup) return undefined;
  const agent = asUser(sandbox, step.agent.user);
  const ran = await agent.exec("bash ./setup.sh", { timeoutMs: step.agent.timeoutMs, signal, maxBytes: 64 * 1024 });
  const said = new TextDecoder().decode(ran.stderr).trim().slice(-300);
  return ran.exitCode === 0 ? undefined : `setup.sh of step ${step.name} ended with ${ran.exitCode ?? ran.status} (${said})`;
}

async function takeTestsAway(sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  const { tests, verifierLogs } = await sandboxPlaces(sandbox);
  const root = sandbox.kind === "docker" ? { user: "root" } : {};
  const [a, b] = [quote(tests), quote(verifierLogs)];
  await sandbox.exec(`rm -rf -- ${a} ${b}; mkdir -p -- ${b}; chmod 777 ${b}`, { cwd: "/", signal, ...root });
}
