import type { Check } from "../../../contract/messages.ts";
import { cleanText } from "../../observe/clean-text.ts";
import { findRunners, type FoundRunner } from "./find-runners.ts";
import { couldNotStart } from "./not-started.ts";
import { readSummary, type Verdict } from "./summary.ts";

type Result = Extract<Check, { result: unknown }>;

/**
 * The check that a command was: a recognised test, build or type-check runner really started by it, and how it went, as far as that is known.
 *
 * *passed* or *failed* by the exit code where that is the runner's own: `pytest`, `cd x && pytest`, `pytest && echo ok` that ended with 0. In
 * `pytest | tail`, `pytest; true`, `pytest || true` or a loop it is not; then the runner's printed summary decides if it is clear. What neither
 * shows is *unknown*, with the reason: `masked` (the exit code is another program's), `chain` (what failed may have come before or after it),
 * `timeout` (ended by its time limit), `signal` (ended from outside), `contradicted` (it ended well and its summary says that it failed).
 *
 * A runner behind `||` or in the background, of which no summary tells, may not have run: no check. Neither is one that could not be started or
 * found nothing to run. Of several runners the first that failed is named, else the first that is unknown: every one has to pass.
 */
export function checkOf(o: { command: string; exitCode: number | null; output: string }): Result | undefined {
  if (o.exitCode === 126 || o.exitCode === 127) return undefined;
  const output = cleanText(o.output);
  const found = findRunners(o.command);
  const summaries = found.map(({ runner }) => readSummary(runner.summary, output));
  const judged = found.flatMap((one, i) => {
    const chain = found.filter((other, j) => other.chain === one.chain && other.bearing !== "none" && summaries[j] === "failed");
    // Which of several printed the failure is not known, only that one of them did.
    const command = chain.length > 1 && chain.includes(one) ? chain.map((other) => other.command).join(" && ") : one.command;
    // A runner that the chain came to shows that those before it passed.
    const laterRan = found.some((later, j) => j > i && later.chain === one.chain && summaries[j] !== undefined && !chain.includes(one));
    const verdict = judge(asPrinted(one, output, o.exitCode), summaries[i], laterRan, output);
    return verdict === undefined ? [] : [{ command, ...verdict }];
  });
  const of = (result: Result["result"]): Result | undefined => judged.find((check) => check.result === result);
  return of("failed") ?? of("unknown") ?? judged.at(-1);
}

type Judged = Omit<Result, "command"> | undefined;
const passed: Judged = { result: "passed" };
const failed: Judged = { result: "failed" };
const unknown = (why: NonNullable<Result["why"]>): Judged => ({ result: "unknown", why });

type Seen = FoundRunner & { readonly exitCode: number | null };

/** With the exit code that the command line itself printed, where the shell's own is another program's. */
function asPrinted(found: FoundRunner, output: string, exitCode: number | null): Seen {
  const code = found.bearing === "none" && exitCode !== null ? found.printed?.pattern.exec(output)?.[1] : undefined;
  return code === undefined ? { ...found, exitCode } : { ...found, exitCode: Number(code), bearing: found.printed?.bearing ?? "none" };
}

function judge(found: Seen, summary: Verdict, laterRan: boolean, output: string): Judged {
  const { exitCode } = found;
  if (summary === "empty") return undefined;
  const failure = summary === "failed" ? failed : undefined;
  if (exitCode === null) return failure ?? unknown("timeout");
  if (found.bearing !== "none" && exitCode === 0) return failure ? unknown("contradicted") : passed;
  if (laterRan) return passed;
  if (failure) return found.othersAfter ? unknown("chain") : failed;
  if (couldNotStart(found.words, output)) return undefined;
  if (found.bearing === "none") {
    if (summary === "passed" || (found.runner.silent === true && found.shown && exitCode === 0 && output.trim() === "")) return passed;
    return found.maybe ? undefined : unknown("masked");
  }
  if (exitCode === 124 || exitCode === 137 || exitCode === 143) return unknown("signal");
  if (found.bearing === "zero") return found.lastToFail && summary === undefined ? before(found, output) : unknown("chain");
  return before(found, output);
}

/** Failed, unless something in its chain before it may have. */
function before(found: FoundRunner, output: string): Judged {
  return found.before.every((program) => cannotHaveFailed(program, output)) ? failed : unknown("chain");
}

/** Programs that say it with their name in front when they fail, and the shell's own. */
const tells = new Set(
  "cd pushd popd echo printf export unset set source . true : pwd mkdir rm cp mv ln touch chmod cat tee sed sleep date clear umask ls".split(
    " ",
  ),
);
function cannotHaveFailed(program: string, output: string): boolean {
  if (!tells.has(program)) return false;
  return !output.split("\n").some((line) => line.startsWith(`${program}: `) || / line \d+: /.test(line));
}
