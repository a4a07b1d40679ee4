import { plural } from "../../harness/text/figures.ts";
import pc from "picocolors";
import { ConfigError, ForgeError, messageOf } from "../../harness/errors.ts";
import { describeStep } from "../../reports/terminal/re-executed.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine, printable } from "../../harness/text/printable.ts";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import { findAllRuns } from "../../traces/store/find-runs.ts";
import { nameRuns, runName } from "../../traces/read/run-name.ts";
import { openTrial } from "../../evals/reopen/open-trial.ts";
import { replayAgent } from "../../evals/reopen/replay-agent.ts";
import { repeatTrial, verdictWord, type RepeatedTrial } from "../../evals/reopen/repeat-trial.ts";
import { isObserved } from "../../traces/read/observed.ts";
import type { ToolsFlags } from "./options.ts";
import { isExact, otherAgent, showAgentReplay } from "./replay-agent.ts";
import { interruptible } from "../shared/interruptible.ts";

/** L2 over every run: the recorded model, tools carried out again in fresh sandboxes, by Forge or by the other agent itself; answers the exit code, the gravest of all. */
export async function replayTools(folders: readonly string[], flags: ToolsFlags): Promise<number> {
  const ports = await createBenchPorts(process.env, { trust: flags.trust === true });
  let exitCode = 0;
  return interruptible(async ({ stop }) => {
    const place = {
      task: flags.task,
      sandbox: flags.sandbox,
      taskEnv: flags.taskEnv,
      ports,
      signal: stop,
      warn: (sentence: string) => void process.stderr.write(`${sentence}\n`),
    };
    for (const run of await findAllRuns(folders)) {
      try {
        const trial = await openTrial(run, { observed: true });
        const [start] = trial.events;
        if (start && isObserved(start)) {
          const config = await otherAgent(flags, start.d["config"] as unknown as Parameters<typeof otherAgent>[1]); // as `isObserved` says
          for (let time = 0; time < (flags.times ?? 1); time++) {
            const answer = await replayAgent(trial, { config, place });
            exitCode = Math.max(exitCode, isExact(answer) ? 0 : 1);
            showAgentReplay(runName(run), answer, flags);
          }
          continue;
        }
        if (flags.config !== undefined || flags.agent !== undefined)
          throw new ConfigError(
            `${runName(run)} is a run of Forge's own agent, whose recorded calls no configuration changes; --config and --agent are for runs of other agents. Use forge replay dry --config FILE.`,
          );
        const answer = await repeatTrial(trial, { times: flags.times ?? 1, place });
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
    ...(byMiddleware > 0 ? [`${byMiddleware} calls of middleware not repeated`] : []),
    ...notes,
  ];
  process.stdout.write(`${good ? pc.green("✓") : pc.red("✗")} ${oneLine(run)}: ${printable(parts.join("; "))}\n`);
  for (const { verdict, example } of steps) {
    if (verdict !== "different" && verdict !== "nondeterministic") continue;
    process.stdout.write(`    ${verdict}: ${printable(describeStep(example, (text) => text)).replaceAll("\n", "\n    ")}\n`);
  }
}
