import { actsOf } from "../acts/acts-of.ts";
import { atCall } from "../acts/cite.ts";
import { isTest } from "../acts/paths.ts";
import { endedByItself, mainEdit } from "../acts/work.ts";
import type { Detector } from "../detector.ts";
import { reportOf } from "./report.ts";

export const ownTests: Detector = {
  name: "own-tests",
  kind: "weak-check",
  looksAt: "Runs whose own new tests pass at the end, where of three hidden tests or more of the same thing not one does.",
  provedWrongBy: "The hidden tests need a name that the task does not give, so that no test of the agent's could have shown it.",
  lever: "rubric-verifier-second-look",
  confidence: "low",
  detect(run) {
    const report = reportOf(run);
    if (!report || report.asked.passed > 0 || report.asked.total < 3 || !endedByItself(run)) return [];
    const acts = actsOf(run);
    const wrote = acts.some((act) => act.wrote.some(isTest));
    const lastCheck = acts.findLast(({ check }) => check?.passed !== undefined);
    const edit = mainEdit(run);
    if (!wrote || lastCheck?.check?.passed !== true || !edit) return [];
    const why = `Its own tests pass, and of ${report.asked.total} hidden tests of the same thing none does.`;
    return [{ ...atCall(edit), why, mechanism: "own tests pass, hidden ones do not" }];
  },
};
