import { actsOf } from "../acts/acts-of.ts";
import { atEnd } from "../acts/cite.ts";
import { endedByItself } from "../acts/work.ts";
import type { Detector } from "../detector.ts";

export const noCheck: Detector = {
  name: "no-check",
  kind: "no-check",
  looksAt: "Runs that end by themselves after an edit, and what they ran between the last edit and the end: nothing at all.",
  provedWrongBy: "There is nothing that could be run, or the last edit is words only, such as a README.",
  lever: "pre-completion-checklist",
  confidence: "medium",
  detect(run) {
    if (!endedByItself(run) || run.passed === true) return [];
    const acts = actsOf(run);
    const last = acts.findLast(({ wrote, failed }) => wrote.length > 0 && failed !== true);
    const place = atEnd(run);
    if (!last || !place || last.wrote.every(isWords)) return [];
    // a command that wrote a file and ran a check did both
    if (last.check !== undefined || acts.slice(last.index + 1).length > 0) return [];
    const everChecked = acts.some(({ check }) => check !== undefined);
    const why = `It ends right after its last edit${everChecked ? "" : " and has run no check at all"}.`;
    return [{ ...place, why, mechanism: "ends after its last edit", confidence: everChecked ? "low" : "medium" }];
  },
};

/** A text file is words by its name alone: `part-1.txt` is as often data that a check reads. */
const isWords = (path: string): boolean =>
  /\.(?:md|rst)$|(?:^|\/)(?:readme|licen[cs]e|changes|changelog|notes|todo|authors|contributing)[^/]*\.txt$/i.test(path);
