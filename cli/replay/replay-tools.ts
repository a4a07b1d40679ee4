import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import { ForgeError, messageOf } from "../../harness/errors.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import { hashCopy } from "../../harness/sandbox/workspace/workspace-hash.ts";
import type { BenchPorts } from "../../evals/bench-ports.ts";
import { fetchTree } from "../../evals/trial/keep/fetch-tree.ts";
import { describeStep } from "../../reports/terminal/re-executed.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine, printable } from "../../harness/text/printable.ts";
import { tornText, type TornTail } from "../../traces/read/torn-tail.ts";
import { readSeal } from "../../traces/format/seal.ts";
import { judgeSteps, type JudgedStep } from "../../traces/replay/tools/judge-steps.ts";
import { firstOtherTree, recordedCalls, reExecute, type ReExecuted } from "../../traces/replay/tools/re-execute.ts";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import { findAllRuns } from "../../traces/store/find-runs.ts";
import { nameRuns, runName } from "../../traces/read/run-name.ts";
import { judgeAgain, recordedScore } from "../../evals/reopen/judge-again.ts";
import { interruptible } from "../shared/interruptible.ts";
import { sandboxOption } from "../shared/sandbox-option.ts";
import { openTrial } from "../../evals/reopen/open-trial.ts";
import { inTrialSandbox, type TrialPlace } from "../../evals/reopen/trial-sandbox.ts";
import { laterRuns } from "../../evals/reopen/trial-steps.ts";
import { asHere, trialTools } from "../../evals/reopen/trial-tools.ts";

export interface ToolsFlags {
  readonly times?: number;
  readonly sandbox?: string;
  readonly taskEnv?: readonly string[];
  /** The task's folder, or one of several tasks, for runs whose job does not tell where it lies. */
  readonly task?: string;
  readonly json?: boolean;
}

interface Answer {
  readonly steps: readonly JudgedStep[];
  /** Calls in which the run ended, and what middleware asked: not carried out again. */
  readonly leftOut: number;
  readonly byMiddleware: number;
  /** Undefined where the recording has no hash of its final workdir. */
  readonly workspace: boolean | undefined;
  /** The first call after which the workdir held something else, where snapshots of it were recorded. */
  readonly otherTree: ReExecuted | undefined;
  /** Undefined where the recording has no verdict, or the verifier could not be asked. */
  readonly verifier: { readonly recorded: number | null; readonly again: readonly (number | null)[] } | undefined;
  readonly torn: TornTail | null;
  readonly notes: readonly string[];
}

/** L2 over every run: the recorded model, tools carried out again in fresh sandboxes; answers the exit code, the gravest of all. */
export async function replayTools(folders: readonly string[], flags: ToolsFlags): Promise<number> {
  const ports = await createBenchPorts(process.env);
  let exitCode = 0;
  return interruptible(async ({ stop }) => {
    for (const run of await findAllRuns(folders)) {
      try {
        const answer = await again(run, flags, ports, stop);
        const good =
          answer.workspace !== false && verdictWord(answer) !== "another" && answer.steps.every(({ verdict }) => verdict !== "different");
        exitCode = Math.max(exitCode, good ? 0 : 1);
        show(runName(run), answer, good, flags);
      } catch (error) {
        if (!(error instanceof ForgeError) || error.exitCode === 2) throw error;
        exitCode = Math.max(exitCode, error.exitCode);
        const verdict = error.exitCode === 4 ? "damaged" : "cannot";
        if (flags.json)
          process.stdout.write(
            `${jsonLine({ type: "run", run: runName(run), verdict, exitCode: error.exitCode, text: nameRuns(messageOf(error)) })}\n`,
          );
        else process.stderr.write(`${pc.red("✗")} ${oneLine(runName(run))}: ${oneLine(nameRuns(messageOf(error)))}\n`);
      }
    }
    return exitCode;
  }).catch((error: unknown) => {
    if (error instanceof Error && error.message === "interrupted") return 130;
    throw error;
  });
}

async function again(run: string, flags: ToolsFlags, ports: BenchPorts, signal: AbortSignal): Promise<Answer> {
  const trial = await openTrial(run);
  const calls = recordedCalls(trial.events);
  const notes = new Set<string>();
  if (trial.torn) notes.add(tornText(trial.torn));
  const later = await laterRuns(trial.folder);
  if (later.length > 0) notes.add("the recorded workspace is of the last step");
  const recorded = later.length > 0 ? undefined : (readSeal(trial.folder)?.workspace ?? undefined);
  const replays: ReExecuted[][] = [];
  const expected: ((text: string) => string)[] = [];
  const hashes: (string | null)[] = [];
  const score = recordedScore(trial);
  const scores: (number | null)[] = [];
  const after = async (place: TrialPlace): Promise<void> => {
    const asked = score === undefined ? undefined : await judgeAgain(trial, place, { ports, signal });
    if (asked?.score !== undefined) scores.push(asked.score);
    else if (asked) notes.add(`the verifier was not asked: ${asked.why ?? "it said nothing"}`);
    if (recorded !== undefined) hashes.push(asked?.workspace ?? (await hashOf(place.sandbox)));
  };
  for (let time = 0; time < (flags.times ?? 1); time++) {
    await inTrialSandbox(
      trial,
      {
        sandbox: sandboxOption(flags.sandbox),
        taskEnv: flags.taskEnv,
        task: flags.task,
        ports,
        signal,
        say: (line) => line.includes("differ") && notes.add(line),
        ...(time > 0 ? { warn: () => undefined } : {}), // the first time has said it
        after,
      },
      async (sandbox) => {
        const here = asHere(trial, sandbox);
        replays.push(await reExecute(calls, trialTools(trial, sandbox), { signal, expected: here }));
        expected.push(here);
      },
    );
  }
  const [first = []] = replays;
  return {
    steps: judgeSteps(replays, expected),
    otherTree: replays.map(firstOtherTree).find((step) => step !== undefined),
    leftOut: calls.length - first.length,
    byMiddleware: trial.middlewareCalls,
    workspace: recorded === undefined ? undefined : hashes.every((hash) => hash === recorded),
    verifier: score === undefined || scores.length === 0 ? undefined : { recorded: score, again: scores },
    torn: trial.torn,
    notes: [...notes],
  };
}

/** As it was taken when the trial ended: nothing runs any more. */
export async function hashOf(sandbox: Sandbox): Promise<string | null> {
  await sandbox.endProcesses();
  const scratch = await mkdtemp(join(tmpdir(), "forge-replay-"));
  try {
    return await fetchTree(sandbox, sandbox.workdir, scratch, async ({ tree }, copy) => (await hashCopy(copy, tree)).hash);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A verdict that also differs between the replays says nothing of the recording. */
function verdictWord({ verifier }: Pick<Answer, "verifier">): "the same" | "another" | "nondeterministic" | undefined {
  if (!verifier) return undefined;
  const { recorded, again: scores } = verifier;
  if (scores.every((score) => score === recorded)) return "the same";
  return new Set(scores).size > 1 ? "nondeterministic" : "another";
}

function show(run: string, answer: Answer, good: boolean, flags: ToolsFlags): void {
  const { steps, leftOut, byMiddleware, workspace, otherTree, verifier, torn, notes } = answer;
  const word = verdictWord(answer);
  const counts = new Map<string, number>();
  for (const { verdict } of steps) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  if (flags.json) {
    const told = steps.map(({ example, ...step }) => ({ ...step, ...(step.verdict === "exact" ? {} : { now: example.now }) }));
    process.stdout.write(
      `${jsonLine({ type: "run", run, verdict: good ? "same" : "diverged", exitCode: good ? 0 : 1, ...Object.fromEntries(counts), leftOut, byMiddleware, workspace: workspace ?? null, workdirDiffersAt: otherTree?.step ?? null, verifier: verifier ? { ...verifier, verdict: word } : null, torn, notes, steps: told })}\n`,
    );
    return;
  }
  const by = [...new Set(steps.flatMap((step) => step.by))];
  const parts = [
    `${steps.length} calls carried out again: ${[...counts].map(([verdict, count]) => `${count} ${verdict}`).join(", ") || "none"}`,
    ...(by.length > 0 ? [`levelled: ${by.join(", ")}`] : []),
    workspace === undefined
      ? "the recording has no workspace hash"
      : workspace
        ? "the same workspace"
        : `another workspace${otherTree ? `, first after call ${otherTree.step} (${otherTree.call.name})` : ""}`,
    verifier
      ? `${word} verdict${word === "the same" ? "" : ` (${verifier.recorded ?? "none"} then, ${verifier.again.map((score) => score ?? "none").join(", ")} now)`}`
      : "no verdict to compare",
    ...(leftOut > 0 ? [`${leftOut} left out, in which the run had ended`] : []),
    ...(byMiddleware > 0 ? [`${byMiddleware} questions of middleware not asked again`] : []),
    ...notes,
  ];
  process.stdout.write(`${good ? pc.green("✓") : pc.red("✗")} ${oneLine(run)}: ${printable(parts.join("; "))}\n`);
  for (const { verdict, example } of steps) {
    if (verdict !== "different" && verdict !== "nondeterministic") continue;
    process.stdout.write(`    ${verdict}: ${printable(describeStep(example, (text) => text)).replaceAll("\n", "\n    ")}\n`);
  }
}
