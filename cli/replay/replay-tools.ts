import { plural } from "../../harness/text/figures.ts";
import pc from "picocolors";
import { ForgeError, messageOf } from "../../harness/errors.ts";
import { describeStep } from "../../reports/terminal/re-executed.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine, printable } from "../../harness/text/printable.ts";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import { findAllRuns } from "../../traces/store/find-runs.ts";
import { nameRuns, runName } from "../../traces/read/run-name.ts";
import { repeatTrial, verdictWord, type RepeatedTrial } from "../../evals/reopen/repeat-trial.ts";
import type { ToolsFlags } from "./options.ts";
import { interruptible } from "../shared/interruptible.ts";

/** L2 over every run: the recorded model, tools carried out again in fresh sandboxes; answers the exit code, the gravest of all. */
export async function replayTools(folders: readonly string[], flags: ToolsFlags): Promise<number> {
  const ports = await createBenchPorts(process.env, { trust: flags.trust === true });
  let exitCode = 0;
  return interruptible(async ({ stop }) => {
    for (const run of await findAllRuns(folders)) {
      try {
        const answer = await repeatTrial(run, {
          times: flags.times ?? 1,
          place: {
            task: flags.task,
            sandbox: flags.sandbox,
            taskEnv: flags.taskEnv,
            ports,
            signal: stop,
            warn: (sentence) => void process.stderr.write(`${sentence}\n`),
          },
        });
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

function show(run: string, answer: RepeatedTrial, good: boolean, flags: ToolsFlags): void {
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
    `${plural(steps.length, "call")} carried out again: ${[...counts].map(([verdict, count]) => `${count} ${verdict}`).join(", ") || "none"}`,
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
