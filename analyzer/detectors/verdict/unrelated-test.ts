import { baseName } from "../acts/paths.ts";
import { atEnd } from "../acts/cite.ts";
import { actsOf } from "../acts/acts-of.ts";
import { atOutput } from "../acts/cite.ts";
import { productEdits } from "../acts/work.ts";
import type { AnalyzedRun } from "../../runs/analyzed-run.ts";
import type { Detector } from "../detector.ts";
import { reportOf } from "./report.ts";

/** Words in a test's name that say it depends on network, time or other processes. */
const unsteady = /http|network|socket|connect|download|timeout|sleep|thread|parallel|concurren|race|jobs\b|_jobs|flak|benchmark|perf/i;

export const unrelatedTest: Detector = {
  name: "unrelated-test",
  kind: "infrastructure",
  looksAt:
    "Reports in which everything requested passes and one or two of twenty tests or more of what worked before fail, by their names of network, time or processes, or with no word in common with the files that were edited.",
  provedWrongBy: "The same tests pass on the unchanged project at the same time, in several tries.",
  lever: "none",
  confidence: "medium",
  detect(run) {
    const report = reportOf(run);
    if (!report?.kept || report.asked.passed < report.asked.total || report.asked.total === 0) return [];
    const { failed, passed, total } = report.kept;
    if (passed === total || total - passed > 2 || total < 20 || failed.length === 0) return [];
    const words = editedWords(run);
    const related = failed.some((name) => wordsOf(name).some((word) => words.has(word)));
    if (related && !failed.some((name) => unsteady.test(name))) return [];
    const shown = actsOf(run).findLast(({ output }) => /\btimed out\b|\bConnectionError\b|\bflaky\b/i.test(output.slice(0, 4_000)));
    const place = shown ? atOutput(shown) : atEnd(run);
    if (!place) return [];
    const why = `All that was asked passes; of ${total} other tests ${failed.slice(0, 2).map(lastPart).join(" and ")} failed, which the edits do not touch.`;
    return [{ ...place, why, mechanism: "a test that the edits do not touch" }];
  },
};

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length >= 4 && !/^(?:test|tests|testing|case|testcase|unit|spec|self)$/.test(word));
const editedWords = (run: AnalyzedRun): ReadonlySet<string> =>
  new Set(productEdits(run).flatMap(({ wrote }) => wrote.flatMap((path) => wordsOf(baseName(path).replace(/\.\w+$/, "")))));
const lastPart = (name: string): string => name.slice(name.search(/[^:]*$/)).slice(0, 80);
