import { atCall } from "../acts/cite.ts";
import { endedByItself, mainEdit } from "../acts/work.ts";
import type { Detector } from "../detector.ts";
import { reportOf } from "./report.ts";
import { spelledOut } from "./spelled-out.ts";

export const unstatedRequirement: Detector = {
  name: "unstated-requirement",
  kind: "requirement-inferred",
  looksAt:
    "Runs that ended after edits and left what worked before as it was, of which the hidden tests refuse one thing, or several where the task is a report that spells nothing out.",
  provedWrongBy: "A sentence of the task states what the test needs, or a visible check already fails for it.",
  lever: "rubric-verifier-second-look",
  confidence: "low",
  detect(run) {
    const report = reportOf(run);
    const edit = mainEdit(run);
    if (!report || !edit) return [];
    const lost = report.asked.total - report.asked.passed;
    const kept = report.kept === undefined || report.kept.passed >= report.kept.total * 0.9;
    const mostly = !endedByItself(run) && report.asked.passed < report.asked.total * 0.8;
    if (lost === 0 || !kept || mostly || (lost > 1 && spelledOut(run.instruction))) return [];
    const why = `${lost} of ${report.asked.total} hidden tests ${lost === 1 ? "refuses" : "refuse"} what it wrote here, and the task does not spell out what ${lost === 1 ? "it wants" : "they want"}.`;
    return [{ ...atCall(edit), why, mechanism: "what the task does not spell out" }];
  },
};
