import { isObject, type Json } from "../../../harness/json.ts";
import type { AnalyzedRun } from "../../runs/analyzed-run.ts";
import { objectOf } from "../../runs/steps-of.ts";

/** Tests of one sort: how many passed, and the names of those that did not, as far as they are known. */
export interface Tally {
  readonly passed: number;
  readonly total: number;
  readonly failed: readonly string[];
}

/** The verifier's report of a failed run, read: `asked` are the tests of what was to be done, `kept` those of what worked before. */
export interface Report {
  readonly asked: Tally;
  /** Undefined where the report does not part the two. */
  readonly kept: Tally | undefined;
  readonly text: string;
}

const known = new WeakMap<AnalyzedRun, Report | null>();

/** Undefined for a run that did not fail, and for a report that counts no tests. */
export function reportOf(run: AnalyzedRun): Report | undefined {
  const before = known.get(run);
  if (before !== undefined) return before ?? undefined;
  const report = run.passed === false ? (counted(run) ?? sweBench(run) ?? printed(run)) : undefined;
  known.set(run, report ?? null);
  return report;
}

/** Rewards named `f2p_…` and `p2p_…`: the field's words for tests that must begin to pass and those that must go on passing. */
function counted(run: AnalyzedRun): Report | undefined {
  const rewards = objectOf(run.events.find(({ seq }) => seq === run.verdictSeq)?.d["rewards"]);
  const [asked, askedTotal, kept, keptTotal] = ["f2p_passed", "f2p_total", "p2p_passed", "p2p_total"].map((name) => rewards[name]);
  const inText = counts(run.report);
  const of = (passed: Json | undefined, total: Json | undefined, sort: string): Tally | undefined =>
    typeof passed === "number" && typeof total === "number" ? { passed, total, failed: failedNames(run.report, sort) } : undefined;
  const first = of(asked, askedTotal, "f2p") ?? of(inText["f2p_passed"], inText["f2p_total"], "f2p");
  const second = of(kept, keptTotal, "p2p") ?? of(inText["p2p_passed"], inText["p2p_total"], "p2p");
  return first && { asked: first, kept: second, text: run.report };
}

/**
 * The same counts in a report that is JSON. The work that is judged may print such counts too: the last by which something failed, since others contradict the
 * verdict.
 */
function counts(text: string): Readonly<Record<string, number>> {
  let group: Record<string, number> = {};
  let failing: Record<string, number> = {};
  for (const [, name = "", digits] of text.matchAll(/"([fp]2p_(?:passed|total))":\s*(\d{1,7})/g)) {
    if (name in group) group = {};
    group[name] = Number(digits);
    if (["f2p", "p2p"].some((sort) => (group[`${sort}_passed`] ?? Infinity) < (group[`${sort}_total`] ?? 0))) failing = group;
  }
  return failing;
}
const failedNames = (text: string, sort: string): string[] =>
  [...text.matchAll(new RegExp(String.raw`\[${sort}\] ([^\n"]{1,300})`, "g"))].map(([, name = ""]) => name).slice(0, 500);

/** The report of SWE-bench's own grader. */
function sweBench({ report }: AnalyzedRun): Report | undefined {
  if (!report.trimStart().startsWith("{") || report.length > 5e6) return undefined;
  try {
    const status = objectOf(objectOf(JSON.parse(report) as Json)["tests_status"]); // any JSON: its parts are looked at
    const [asked, kept] = [status["FAIL_TO_PASS"], status["PASS_TO_PASS"]].map(tallyOf);
    return asked && { asked, kept, text: report };
  } catch {
    return undefined; // another form
  }
}
function tallyOf(value: Json | undefined): Tally | undefined {
  if (!isObject(value)) return undefined;
  const { success, failure } = value;
  const count = (list: Json | undefined): number => (typeof list === "number" ? list : Array.isArray(list) ? list.length : 0);
  const failed = Array.isArray(failure) ? failure.filter((name): name is string => typeof name === "string") : [];
  return { passed: count(success), total: count(success) + count(failure), failed };
}

/** The summary of pytest, or of a runner that counts alike: the last line that counts a failure, since a line of a failed run that counts none may be the work's own. */
function printed({ report }: AnalyzedRun): Report | undefined {
  const summaries = report.split("\n").filter((line) => /\b\d{1,6} (?:failed|passed|error)/.test(line));
  const summary = summaries.findLast((line) => /\b0*[1-9]\d{0,5} (?:failed|error)/.test(line)) ?? summaries.at(-1) ?? "";
  const number = (word: string): number => Number(new RegExp(String.raw`\b(\d{1,6}) ${word}`).exec(summary)?.[1] ?? 0);
  const [failed, passed, errors] = [number("failed"), number("passed"), number("error")];
  const names = [...report.matchAll(/^(?:FAILED|ERROR) (\S{1,300})/gm)].map(([, name = ""]) => name);
  const total = failed + passed + errors;
  return total === 0 ? undefined : { asked: { passed, total, failed: names }, kept: undefined, text: report };
}
