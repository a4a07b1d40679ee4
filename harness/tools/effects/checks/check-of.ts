import { runnerOf, type Runner } from "./runners.ts";
import { splitShell, type Group, type List, type Simple } from "./split-shell.ts";
import { readSummary } from "./summary.ts";
import { unwrap } from "./unwrap.ts";

/**
 * What the exit code of the whole command says of one program in it. `exact`: 0 means it passed, anything else that it did not (or that
 * what it was chained to did not). `zero`: only 0 says something: it ran and passed. `none`: nothing.
 */
type Bearing = "exact" | "zero" | "none";

interface Found {
  readonly command: string;
  readonly runner: Runner;
  readonly bearing: Bearing;
}

/**
 * The check that a command was: a recognised test, build or type-check runner really started by it, with the verdict.
 *
 * Passed by the exit code where that is the runner's own: `pytest`, `cd x && pytest`, `pytest && echo ok` that ended with 0. In `pytest | tail`,
 * `pytest; true`, `pytest || true` or a loop it is not; then the runner's printed summary decides if it is clear, and if not, the check counts as
 * not passed, since a pass has to be shown. A runner behind `||` or in the background, of which no summary tells, may not have run: no check.
 * Neither is one that could not be started (126, 127) or ran no tests. With several runners every one has to pass, and the first that
 * did not is named. A timeout (`exitCode` null) is a check that did not pass.
 */
export function checkOf(o: { command: string; exitCode: number | null; output: string }): { command: string; passed: boolean } | undefined {
  if (o.exitCode === 126 || o.exitCode === 127) return undefined;
  const judged = findRunners(o.command).flatMap((found) => {
    const passed = verdict(found, o.exitCode, o.output);
    return passed === undefined ? [] : [{ command: found.command, passed }];
  });
  return judged.find((check) => !check.passed) ?? judged.at(-1);
}

function verdict(found: Found & { maybe?: boolean }, exitCode: number | null, output: string): boolean | undefined {
  const summary = readSummary(found.runner.summary, output);
  if (summary === "empty") return undefined;
  if (exitCode === null) return false;
  if (found.bearing !== "none" && exitCode === 0) return true;
  if (found.bearing === "exact") return false;
  if (summary !== undefined) return summary === "passed";
  return found.maybe === true ? undefined : false;
}

const deepest = 8;

function findRunners(command: string, depth = 0): (Found & { maybe: boolean })[] {
  return depth > deepest ? [] : inList(splitShell(command), { errexit: false, pipefail: false }, depth);
}

interface Options {
  errexit: boolean;
  pipefail: boolean;
}

function inList(list: List, options: Options, depth: number): (Found & { maybe: boolean })[] {
  const found: (Found & { maybe: boolean })[] = [];
  for (const [i, pipeline] of list.entries()) {
    const before = i === 0 ? "" : (list[i - 1]?.next ?? "");
    const maybe = before === "||" || pipeline.next === "&";
    for (const [j, stage] of pipeline.stages.entries()) {
      readOptions(stage, options);
      const inPipe: Bearing = j === pipeline.stages.length - 1 ? "exact" : options.pipefail ? "exact" : "none";
      const here = pipeline.negated || maybe ? "none" : weaker(inPipe, afterwards(list, i, options.errexit));
      for (const one of inStage(stage, options, depth)) {
        found.push({ ...one, bearing: weaker(one.bearing, here), maybe: one.maybe || maybe });
      }
    }
  }
  return found;
}

/** What the rest of the list leaves of a pipeline's exit code. With `set -e` a `;` stops at a failure as `&&` does. */
function afterwards(list: List, i: number, errexit: boolean): Bearing {
  const rest = list.slice(i, -1).map((pipeline) => pipeline.next);
  if (list[i]?.next === "&") return "none";
  if (rest.length === 0) return "exact";
  return rest.every((next) => next === "&&" || (errexit && next === ";")) ? "zero" : "none";
}

function weaker(a: Bearing, b: Bearing): Bearing {
  return a === "none" || b === "none" ? "none" : a === "zero" || b === "zero" ? "zero" : "exact";
}

function inStage(stage: Simple | Group, options: Options, depth: number): (Found & { maybe: boolean })[] {
  if (stage.type === "group") return inList(stage.list, { ...options }, depth);
  const words = unwrap(stage.words);
  const script = nestedScript(words);
  const bearing: Bearing = stage.compound ? "none" : "exact";
  if (script !== undefined) {
    return findRunners(script, depth + 1).map((one) => ({ ...one, bearing: weaker(one.bearing, bearing) }));
  }
  const runner = runnerOf(words);
  return runner ? [{ command: stage.words.join(" "), runner, bearing, maybe: false }] : [];
}

/** The script of `bash -c "…"`. */
function nestedScript(words: readonly string[]): string | undefined {
  if (!/^(?:ba|da|z)?sh$/.test(words[0]?.split("/").at(-1) ?? "")) return undefined;
  const c = words.findIndex((word, i) => i > 0 && /^-[a-z]*c$/.test(word));
  return c === -1 || words.slice(1, c).some((word) => !word.startsWith("-")) ? undefined : words[c + 1];
}

function readOptions(stage: Simple | Group, options: Options): void {
  if (stage.type !== "simple" || stage.words[0] !== "set") return;
  if (stage.words.some((word) => /^-[a-z]*e/.test(word)) || stage.words.includes("errexit")) options.errexit = true;
  if (stage.words.includes("pipefail")) options.pipefail = true;
}
