import { basename, resolve } from "node:path";
import { nameFilter } from "../../harness/text/name-filter.ts";
import type { RunEvent } from "../../harness/events/schema.ts";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import { isObject } from "../../harness/json.ts";
import { cutAtWord, plural } from "../../reports/text/format.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { nextSteps } from "../../reports/text/next-steps.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { looksLikeTest, type ChangedTests } from "../../tasks/from-git/read-commit.ts";
import { aboutChanged, makeRunTask, someOf, type KeptRun } from "../../tasks/from-run/make-run-task.ts";
import { nameOfNewTask } from "../../tasks/scaffold/new-task-name.ts";
import { loadTrace } from "../../traces/read/load-trace.ts";
import { evidenceLane } from "../../traces/record/trace-writer.ts";
import { draftOptions } from "./draft-options.ts";
import { lookAtDraft } from "./gate-draft.ts";
import { interruptible } from "../shared/interruptible.ts";
import { namesListed } from "../shared/names-listed.ts";
import { sayTorn } from "../shared/say-torn.ts";
import type { FromRunFlags } from "./options.ts";

/** Carries out `forge task from-run`. */
export async function taskFromRun(run: string, o: FromRunFlags): Promise<void> {
  if (o.check.trim() === "") throw new ConfigError("--check is empty: write the command that ends with 0 when the request is met.");
  const out = o.out ?? `run-${basename(resolve(run)).toLowerCase()}`;
  const name = nameOfNewTask(out);
  const options = draftOptions(o, "from-run");
  const { events, torn } = await loadTrace(run);
  sayTorn(run, torn);
  const kept = keptOf(run, events);
  const isTest = o.tests === undefined ? looksLikeTest : o.tests === "" ? () => false : nameFilter(`{${namesListed(o.tests).join(",")}}`);
  const { found, tests, drafted } = await interruptible(
    ({ stop }) =>
      makeRunTask({
        run,
        kept,
        out,
        options,
        check: o.check,
        tests: { isTest, asked: o.tests },
        solution: o.solution,
        signal: stop,
        ...(!o.untried && { tryDraft: (draft: string, signal: AbortSignal) => lookAtDraft(draft, o.sandbox, signal) }),
      }),
    "nothing was written",
  );
  const solution = "patch" in found ? (o.solution ?? "what the run changed") : null;
  if (o.json) {
    process.stdout.write(
      `${jsonLine({ task: name, folder: out, digest: drafted.digest, checked: drafted.sandbox, checkpoint: kept.checkpoint, tests: [...tests.allTests], changed: [...tests.testsWritten], solution, ...("why" in found && { why: found.why }) })}\n`,
    );
    return;
  }
  const checked =
    drafted.sandbox === null
      ? "not checked"
      : solution === null
        ? `doing nothing fails (${drafted.sandbox})`
        : `its solution passes, doing nothing fails (${drafted.sandbox})`;
  process.stdout.write(
    `${out}: ${cutAtWord(oneLine(kept.request), 100)}\n  the state of checkpoint ${kept.checkpoint.slice(0, 12)}; ${checked}\n${aboutTests(tests, o.tests)}\n`,
  );
  if ("why" in found)
    process.stdout.write(
      `It has no solution: ${found.why} Write solution/solve.sh, solution/plan.yaml and a mistake in solution/wrong/.\n`,
    );
  process.stdout.write(`${nextSteps([["Next", `task check ${out} --full`]])}\n`);
}

function keptOf(run: string, events: readonly RunEvent[]): KeptRun {
  const start = events.find(({ t }) => t === "run.start")?.d;
  const input = start?.["input"];
  const request = isObject(input) ? input["task"] : undefined;
  if (typeof request !== "string" || request.trim() === "")
    throw new CannotError(`${run}: its trace does not record the request. Give the folder of a run of forge run.`);
  const note = events.find(({ t, d }) => t === "note" && typeof d["commit"] === "string")?.d["commit"];
  if (typeof note !== "string" || !/^[0-9a-f]{40,64}$/.test(note))
    throw new CannotError(
      `${run}: no checkpoint was kept: the run changed nothing, was cut off, or is a trial of forge bench, whose task already exists. Give another run.`,
    );
  const tree = events.findLast(({ t, lane }) => t === "fs.snapshot" && lane === evidenceLane)?.d["tree"];
  return { request, checkpoint: note, tree: typeof tree === "string" ? tree : undefined };
}

/** Which tests the check gets, and which it does not. */
function aboutTests(tests: ChangedTests, asked: string | undefined): string {
  if (asked === "") return "No test file is put back, because --tests names none: the check reads the folder as the agent leaves it.";
  if (tests.allTests.length === 0)
    return "No test file was found by its name: the check reads the folder as the agent leaves it. Where it runs tests, name them with --tests.";
  const changed = new Set(tests.testsWritten);
  const same = tests.allTests.filter((path) => !changed.has(path));
  const putBack = `Before the check ${plural(same.length, "test file")} (${someOf(same)}) ${same.length === 1 ? "is" : "are"} put back.`;
  return [...(same.length > 0 ? [putBack] : []), aboutChanged(tests)].join(" ").trim();
}
