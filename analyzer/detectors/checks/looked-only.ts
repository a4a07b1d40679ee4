import { actsOf } from "../acts/acts-of.ts";
import { atCall } from "../acts/cite.ts";
import { endedByItself } from "../acts/work.ts";
import type { Detector } from "../detector.ts";

export const lookedOnly: Detector = {
  name: "looked-only",
  kind: "weak-check",
  looksAt: "Runs that end by themselves and after their last edit only look, by ls, cat, git diff and the like, at what cannot fail.",
  provedWrongBy: "The output that was looked at shows that the work is right, or nothing else can be run.",
  lever: "run-visible-tests-before-finishing",
  confidence: "medium",
  detect(run) {
    if (!endedByItself(run) || run.passed === true) return [];
    const acts = actsOf(run);
    const last = acts.findLast(({ wrote, failed }) => wrote.length > 0 && failed !== true);
    if (!last || last.check !== undefined) return [];
    const after = acts.slice(last.index + 1);
    if (after.length === 0 || !after.every(({ looksOnly, check }) => looksOnly && check === undefined)) return [];
    if (acts.some(({ check, index }) => check?.passed === true && index > last.index - 3)) return [];
    const everChecked = acts.some(({ check }) => check !== undefined);
    const why = `After its last edit it only looks at files${everChecked ? "" : "; no check was run at any time"}.`;
    return [{ ...atCall(last), why, mechanism: "only looked at its work", confidence: everChecked ? "low" : "medium" }];
  },
};
