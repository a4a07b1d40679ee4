import { atCall } from "../acts/cite.ts";
import { endedByItself, mainEdit } from "../acts/work.ts";
import type { Detector } from "../detector.ts";
import { reportOf } from "./report.ts";
import { spelledOut } from "./spelled-out.ts";

export const statedRequirement: Detector = {
  name: "stated-requirement",
  kind: "requirement-missed",
  looksAt: "Tasks that spell their requirements out, of whose tests several fail, in a run that ended by itself after edits.",
  provedWrongBy: "The tests that fail need what the text does not state, or all fail for one reason outside the work.",
  lever: "rubric-verifier-second-look",
  confidence: "low",
  detect(run) {
    const report = reportOf(run);
    const edit = mainEdit(run);
    if (!report || !edit || !endedByItself(run) || !spelledOut(run.instruction)) return [];
    const lost = report.asked.total - report.asked.passed;
    if (lost < 2) return [];
    const why = `The task spells its requirements out, and ${lost} of ${report.asked.total} tests of them fail for what it wrote here.`;
    return [{ ...atCall(edit), why, mechanism: "requirements that the task spells out" }];
  },
};
