import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { CannotError } from "../../harness/errors.ts";
import { asUser } from "../../harness/sandbox/as-user.ts";
import type { PreparedEnvironment, SandboxProvider } from "../../harness/sandbox/provider.ts";
import type { Sandbox, SandboxKind } from "../../harness/sandbox/sandbox.ts";
import type { Agent, BenchPorts } from "../bench-ports.ts";
import { chooseSandbox } from "../bench/choose-sandbox.ts";
import { askedBounds } from "../job/asked-bounds.ts";
import { guardOf } from "../trial/sandbox/guard.ts";
import { knowsSolution } from "../trial/sandbox/ready-for-agent.ts";
import { guarded } from "../trial/sandbox/bounds.ts";
import { createSandbox, programOf } from "../trial/sandbox/make-sandbox.ts";
import { withinMachine } from "../trial/sandbox/within-machine.ts";
import { withNetwork } from "../trial/sandbox/phase-network.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import type { Task } from "../../tasks/task.ts";
import type { OpenedTrial } from "./open-trial.ts";
import { tasksOfJob } from "../job/tasks-of-job.ts";
import { readyForRun } from "./trial-steps.ts";
import { modeOf } from "./trial-tools.ts";

export interface TrialSandboxOptions {
  /** A task's folder, or one of several tasks, where the job no longer tells. */
  readonly task?: string | undefined;
  /** Left out: the kind that the trial had. */
  readonly sandbox?: SandboxKind | "local-unsafe" | undefined;
  /** Of the user's environment, what the task may read. */
  readonly taskEnv?: readonly string[] | undefined;
  /** Another agent that is to run in it. */
  readonly config?: ResolvedConfig;
  /** The task's plan is needed, for the simulated model; default false. */
  readonly plan?: boolean;
  readonly ports: BenchPorts;
  readonly signal: AbortSignal;
  /** Hears of progress, and of what is another than when the trial ran. */
  readonly say: (line: string) => void;
  /** Hears, at most once, that the sandbox is held to less than the trial's was. */
  readonly warn: (sentence: string) => void;
  /** Called when `use` is done and the sandbox has the network again that it had before its agent. May close the sandbox. */
  readonly after?: (place: TrialPlace) => Promise<void>;
}

/** A trial's sandbox when its agent is done. */
export interface TrialPlace {
  /** Of the step that the trial's run belongs to. */
  readonly task: Task;
  /** It is one step of several. */
  readonly isStep: boolean;
  readonly agent: Agent;
  readonly kind: SandboxKind;
  readonly provider: SandboxProvider;
  readonly prepared: PreparedEnvironment;
  readonly sandbox: Sandbox;
}

/**
 * Gives `use` a sandbox as the trial's was before its first call, of its agent's user and with the network that the agent had, and closes it after. Of a
 * task in steps the earlier ones are carried out before. `task`: of the step that the trial's run belongs to; `whole`: the sandbox as nobody in it.
 */
export async function inTrialSandbox<T>(
  trial: OpenedTrial,
  o: TrialSandboxOptions,
  use: (sandbox: Sandbox, task: Task, whole: Sandbox) => Promise<T>,
): Promise<T> {
  const { ports, signal, say, warn } = o;
  const found = await taskOf(trial, o);
  const kind = await chooseSandbox(o.sandbox ?? trial.sandbox, [found], { ports, harmless: true });
  const provider = ports.provider(kind);
  await provider.sweep().catch(() => 0);
  // What the calls do is hostile now as it was then.
  const guard = await guardOf(provider, 1, trial.job === undefined ? {} : await askedBounds(trial.job));
  const held = guarded(found, { mode: modeOf(trial, found), sandbox: kind, guard });
  const { task, why } = kind === "docker" ? withinMachine(held, await provider.capacity?.().catch(() => undefined)) : { task: held };
  if (why !== undefined) warn(why);
  const prepared = await provider.prepare(task.environment, { signal, onProgress: (line) => say(line) });
  if (found.digest !== trial.taskDigest) say("The task is not as it was when the trial ran: its digest differs.");
  if (prepared.digest !== trial.imageDigest) say("The image is another one than the trial's: results may differ for that reason alone.");
  const agent = trial.agent === "configured" || trial.agent === "nop" ? trial.agent : "oracle";
  const solves = knowsSolution({ agent });
  const plan = { task, configuration: trial.configuration, repeat: trial.repeat };
  const program = o.config ? await programOf({ config: o.config, agent, sandbox: kind }, ports, { more: false }) : {};
  const setting = { prepared, job: "shell", attempt: trial.attempt, signal, ...program };
  const sandbox = await createSandbox(plan, setting, solves ? task.solution?.env : {});
  try {
    const step = await readyForRun(trial, { task, agent, sandbox, ports, signal, say });
    const done = await withNetwork(sandbox, task.environment, step.agent.network, () =>
      use(asUser(sandbox, step.agent.user), step, sandbox),
    );
    await o.after?.({ task: step, isStep: task.steps !== undefined, agent, kind, provider, prepared, sandbox });
    return done;
  } finally {
    await sandbox.close();
  }
}

const howNamed = "its folder, or one that holds it, with --task";

/** The task of the trial as it lies on this machine. */
async function taskOf(
  trial: OpenedTrial,
  { task: folder, taskEnv, plan = false }: Pick<TrialSandboxOptions, "task" | "taskEnv" | "plan">,
): Promise<Task> {
  if (folder === undefined && trial.job === undefined)
    throw new CannotError(`${trial.folder} is not inside a job's folder, so its task is not known; name ${howNamed}.`);
  const tasks =
    folder === undefined && trial.job !== undefined
      ? await tasksOfJob(trial.job, new Set([trial.task]), { taskEnv, plan, cure: `Name ${howNamed}.` })
      : (await loadSuite(folder ?? "", { variables: process.env, taskEnv, plan })).tasks;
  const found = tasks.find(({ name }) => name === trial.task) ?? (tasks.length === 1 && folder !== undefined ? tasks[0] : undefined);
  if (!found)
    throw new CannotError(
      `There is no task "${trial.task}" ${folder === undefined ? "any more where the job found it" : `in ${folder}`}; name ${howNamed}.`,
    );
  return found;
}
