import { ConfigError } from "../../harness/errors.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import { quote } from "../../harness/sandbox/shell/quote.ts";
import { describeStep, describeSteps } from "../../reports/terminal/re-executed.ts";
import { plural } from "../../reports/text/format.ts";
import { printable } from "../../harness/text/printable.ts";
import { recordedCalls, reExecute } from "../../traces/replay/tools/re-execute.ts";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import type { ShellFlags } from "./options.ts";
import { interruptible } from "../shared/interruptible.ts";
import type { BenchPorts } from "../../evals/bench-ports.ts";
import type { OpenedTrial } from "../../evals/reopen/open-trial.ts";
import { inTrialSandbox } from "../../evals/reopen/trial-sandbox.ts";
import { runOfTrial } from "../../evals/reopen/trial-steps.ts";
import { asHere, trialTools } from "../../evals/reopen/trial-tools.ts";

const say = (line: string): void => void process.stderr.write(`${printable(line)}\n`);

/** Carries out `forge trial shell`; answers the exit code. */
export async function trialShell(folder: string, words: readonly string[], flags: ShellFlags): Promise<number> {
  if (words.length === 0 && !process.stdin.isTTY)
    throw new ConfigError(
      "A shell needs a terminal, and standard input is not one; name a command, as in forge trial shell TRIAL -- ls -la.",
    );
  const { found, total } = await runOfTrial(folder, flags.step);
  if (!found) throw new ConfigError(`--step ${flags.step}: the trial has ${plural(total, "recorded call")}; choose 0 to ${total}.`);
  const { run: trial, calls } = found;
  const ports = await createBenchPorts(process.env);
  return interruptible(async ({ stop }) => {
    const options = {
      task: flags.task,
      sandbox: flags.sandbox,
      taskEnv: flags.taskEnv,
      ports,
      signal: stop,
      say,
      warn: say,
    };
    return inTrialSandbox(trial, options, async (sandbox) => {
      await reenact(trial, recordedCalls(trial.events).slice(0, calls), { sandbox, ports, signal: stop });
      return words.length > 0 ? runCommand(sandbox, words, stop) : openShell(sandbox, stop);
    });
  }).catch((error: unknown) => {
    if (error instanceof Error && error.message === "interrupted") return 130;
    throw error;
  });
}

async function reenact(
  trial: OpenedTrial,
  calls: ReturnType<typeof recordedCalls>,
  { sandbox, ports, signal }: { readonly sandbox: Sandbox; readonly ports: BenchPorts; readonly signal: AbortSignal },
): Promise<void> {
  const here = asHere(trial, sandbox);
  // Background shells that the calls began stay: tools.close() would end them, and the sandbox's end does that anyway.
  const tools = await trialTools(trial, sandbox, ports);
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
  if (ran.dropped > 0) say(`(${plural(ran.dropped, "byte")} of the output left out)`);
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
