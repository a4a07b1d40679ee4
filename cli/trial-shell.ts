import { createPolicy } from "../harness/policy/policy.ts";
import { CannotError, ConfigError } from "../harness/errors.ts";
import type { Sandbox } from "../harness/sandbox/sandbox.ts";
import { quote } from "../harness/sandbox/shell/quote.ts";
import { createTools } from "../harness/tools/registry.ts";
import { isServerTool } from "../harness/extensions/mcp/mcp-server.ts";
import { pickTools } from "../harness/tools/tool-schemas.ts";
import { chooseSandbox } from "../evals/choose-sandbox.ts";
import { createSandbox } from "../evals/trial/plan.ts";
import { sandboxPlaces } from "../evals/trial/sandbox-places.ts";
import { describeStep, describeSteps } from "../reports/terminal/re-executed.ts";
import { printable } from "../reports/terminal/printable.ts";
import { loadSuite } from "../tasks/formats/load-suite.ts";
import type { Task } from "../tasks/task.ts";
import { recordedCalls, reExecute } from "../traces/replay/re-execute.ts";
import { createBenchPorts } from "./assemble.ts";
import type { ShellFlags } from "./commands/trial.ts";
import { interruptible } from "./interruptible.ts";
import { oneOf } from "./one-of.ts";
import { openTrial, type OpenedTrial } from "./open-trial.ts";
import { redactorFor } from "./redactor-for.ts";
import { nobody, systemClock } from "./system-ports.ts";
import { tasksOfJob } from "./tasks-of-job.ts";

const say = (line: string): void => void process.stderr.write(`${printable(line)}\n`);

/** Carries out `forge trial shell`; answers the exit code. */
export async function trialShell(folder: string, words: readonly string[], flags: ShellFlags): Promise<number> {
  if (words.length === 0 && !process.stdin.isTTY)
    throw new ConfigError("A shell needs a terminal, and standard input is none; name a command, as in forge trial shell TRIAL -- ls -la.");
  const trial = await openTrial(folder);
  const all = recordedCalls(trial.events);
  if (flags.step !== undefined && flags.step > all.length)
    throw new ConfigError(`--step ${flags.step}: the trial has ${all.length} recorded calls; choose 0 to ${all.length}.`);
  const task = await taskOf(trial, flags.task);
  const ports = await createBenchPorts(process.env);
  const asked =
    flags.sandbox === undefined
      ? trial.sandbox
      : oneOf("--sandbox", flags.sandbox, ["docker", "bubblewrap", "local", "local-unsafe"] as const);
  const kind = await chooseSandbox(asked, [task], { ports, harmless: true });
  const provider = ports.provider(kind);
  await provider.sweep().catch(() => 0);
  return interruptible(async ({ stop }) => {
    const prepared = await provider.prepare(task.environment, { signal: stop, onProgress: (line) => say(line) });
    if (task.digest !== trial.taskDigest) say("The task is not as it was when the trial ran: its digest differs.");
    if (prepared.digest !== trial.imageDigest) say("The image is another one than the trial's: results may differ for that reason alone.");
    const solves = trial.agent !== "configured" && trial.agent !== "nop";
    const plan = { task, configuration: trial.configuration, repeat: trial.repeat };
    const setting = { prepared, job: "shell", attempt: trial.attempt, signal: stop };
    const sandbox = await createSandbox(plan, setting, solves ? task.solution?.env : {});
    try {
      if (solves && task.solution) await sandbox.upload(task.solution.folder, (await sandboxPlaces(sandbox)).solution);
      await reenact(trial, all.slice(0, flags.step), sandbox, stop);
      return words.length > 0 ? await runCommand(sandbox, words, stop) : await openShell(sandbox, stop);
    } finally {
      await sandbox.close();
    }
  }).catch((error: unknown) => {
    if (error instanceof Error && error.message === "interrupted") return 130;
    throw error;
  });
}

/** The task of the trial as it lies on this machine. */
async function taskOf(trial: OpenedTrial, folder: string | undefined): Promise<Task> {
  if (folder === undefined && trial.job === undefined)
    throw new CannotError(`${trial.folder} is not inside a job's folder, so its task is not known; name it with --task.`);
  const tasks =
    folder === undefined && trial.job !== undefined
      ? await tasksOfJob(trial.job, new Set([trial.task]))
      : (await loadSuite(folder ?? "", { variables: process.env })).tasks;
  const found = tasks.find(({ name }) => name === trial.task) ?? (tasks.length === 1 && folder !== undefined ? tasks[0] : undefined);
  if (!found) throw new CannotError(`There is no task "${trial.task}" any more where the job found it; name its folder with --task.`);
  return found;
}

async function reenact(trial: OpenedTrial, calls: ReturnType<typeof recordedCalls>, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  const tools = createTools({
    // Servers of the task are not begun: their calls show as differing, with what was recorded of them.
    tools: pickTools(
      trial.tools.filter((name) => !isServerTool(name)),
      trial.agent === "configured" ? {} : { maxTimeoutMs: trial.deadlineMs },
    ),
    sandbox,
    policy: createPolicy({ mode: "bypass", confined: true }),
    user: nobody,
    clock: systemClock,
    redact: redactorFor(process.env, { trial: { modelAt: "", sandbox: trial.sandbox } }), // as it was recorded, or every key would look like a difference
  });
  // Background shells that the calls began stay: tools.close() would end them, and the sandbox's end does that anyway.
  const here = (text: string): string => (trial.workdir === "" ? text : text.replaceAll(trial.workdir, sandbox.workdir));
  const steps = await reExecute(calls, tools, { signal, expected: here, onStep: (step) => step.same || say(describeStep(step, here)) });
  say(describeSteps(steps, { asked: calls.length, byMiddleware: trial.middlewareCalls }));
}

/** One word is a command line; several are a program and its arguments. */
async function runCommand(sandbox: Sandbox, words: readonly string[], signal: AbortSignal): Promise<number> {
  const [only = ""] = words;
  const command = words.length === 1 ? only : words.map(quote).join(" ");
  const ran = await sandbox.exec(command, { shell: "bash", signal, timeoutMs: 24 * 3_600_000 });
  process.stdout.write(ran.stdout);
  process.stderr.write(ran.stderr);
  if (ran.dropped > 0) say(`(${ran.dropped} bytes of the output were left out)`);
  return ran.exitCode ?? 3;
}

/** A true terminal where the sandbox has one; else lines, each with a shell of its own. */
async function openShell(sandbox: Sandbox, signal: AbortSignal): Promise<number> {
  const { TERM: term } = process.env;
  if (sandbox.terminal) {
    const io = { input: process.stdin, output: process.stdout, signal, ...(term === undefined ? {} : { term }) };
    return (await sandbox.terminal(io)) ?? 130;
  }
  const { lineShell } = await import("./line-shell.ts");
  return lineShell(sandbox, signal);
}
