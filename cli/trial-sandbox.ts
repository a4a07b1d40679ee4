import { CannotError } from "../harness/errors.ts";
import type { Tools } from "../harness/agent/ports.ts";
import { isServerTool } from "../harness/extensions/mcp/mcp-server.ts";
import { createPolicy } from "../harness/policy/policy.ts";
import type { Sandbox } from "../harness/sandbox/sandbox.ts";
import { createTools } from "../harness/tools/registry.ts";
import { pickTools } from "../harness/tools/tool-schemas.ts";
import type { BenchPorts } from "../evals/bench-ports.ts";
import { chooseSandbox } from "../evals/choose-sandbox.ts";
import { createSandbox } from "../evals/trial/plan.ts";
import { sandboxPlaces } from "../evals/trial/sandbox-places.ts";
import { loadSuite } from "../tasks/formats/load-suite.ts";
import type { Task } from "../tasks/task.ts";
import { oneOf } from "./one-of.ts";
import type { OpenedTrial } from "./open-trial.ts";
import { redactorFor } from "./redactor-for.ts";
import { nobody, systemClock } from "./system-ports.ts";
import { tasksOfJob } from "./tasks-of-job.ts";

export interface TrialSandboxOptions {
  /** A task's folder, where the job no longer tells. */
  readonly task?: string | undefined;
  /** Left out: the kind that the trial had. */
  readonly sandbox?: string | undefined;
  /** Of the user's environment, what the task may read. */
  readonly taskEnv?: readonly string[] | undefined;
  readonly ports: BenchPorts;
  readonly signal: AbortSignal;
  /** Hears of progress, and of what is another than when the trial ran. */
  readonly say: (line: string) => void;
}

/** Gives `use` a sandbox as the trial's was before its first call, and closes it after. */
export async function inTrialSandbox<T>(
  trial: OpenedTrial,
  o: TrialSandboxOptions,
  use: (sandbox: Sandbox, task: Task) => Promise<T>,
): Promise<T> {
  const { ports, signal, say } = o;
  const task = await taskOf(trial, o.task, o.taskEnv);
  const asked =
    o.sandbox === undefined ? trial.sandbox : oneOf("--sandbox", o.sandbox, ["docker", "bubblewrap", "local", "local-unsafe"] as const);
  const kind = await chooseSandbox(asked, [task], { ports, harmless: true });
  const provider = ports.provider(kind);
  await provider.sweep().catch(() => 0);
  const prepared = await provider.prepare(task.environment, { signal, onProgress: (line) => say(line) });
  if (task.digest !== trial.taskDigest) say("The task is not as it was when the trial ran: its digest differs.");
  if (prepared.digest !== trial.imageDigest) say("The image is another one than the trial's: results may differ for that reason alone.");
  const solves = trial.agent !== "configured" && trial.agent !== "nop";
  const plan = { task, configuration: trial.configuration, repeat: trial.repeat };
  const setting = { prepared, job: "shell", attempt: trial.attempt, signal };
  const sandbox = await createSandbox(plan, setting, solves ? task.solution?.env : {});
  try {
    if (solves && task.solution) await sandbox.upload(task.solution.folder, (await sandboxPlaces(sandbox)).solution);
    return await use(sandbox, task);
  } finally {
    await sandbox.close();
  }
}

/** The tools of a trial in a sandbox of today, redacted as they were when it was recorded, or every key would look like a difference. */
export function trialTools(trial: OpenedTrial, sandbox: Sandbox): Tools {
  return createTools({
    // Servers of the task are not begun: their calls show as differing, with what was recorded of them.
    tools: pickTools(
      trial.tools.filter((name) => !isServerTool(name)),
      trial.agent === "configured" ? {} : { maxTimeoutMs: trial.deadlineMs },
    ),
    sandbox,
    policy: createPolicy({ mode: "bypass", confined: true }),
    user: nobody,
    clock: systemClock,
    redact: redactorFor(process.env, { trial: { modelAt: "", sandbox: trial.sandbox } }),
  });
}

/** A recorded text as it would be in this sandbox. */
export const asHere =
  (trial: OpenedTrial, sandbox: Sandbox) =>
  (text: string): string =>
    trial.workdir === "" ? text : text.replaceAll(trial.workdir, sandbox.workdir);

/** The task of the trial as it lies on this machine. */
async function taskOf(trial: OpenedTrial, folder: string | undefined, taskEnv: readonly string[] | undefined): Promise<Task> {
  if (folder === undefined && trial.job === undefined)
    throw new CannotError(`${trial.folder} is not inside a job's folder, so its task is not known; name it with --task.`);
  const tasks =
    folder === undefined && trial.job !== undefined
      ? await tasksOfJob(trial.job, new Set([trial.task]), taskEnv)
      : (await loadSuite(folder ?? "", { variables: process.env, taskEnv })).tasks;
  const found = tasks.find(({ name }) => name === trial.task) ?? (tasks.length === 1 && folder !== undefined ? tasks[0] : undefined);
  if (!found) throw new CannotError(`There is no task "${trial.task}" any more where the job found it; name its folder with --task.`);
  return found;
}
