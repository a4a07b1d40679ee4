import { actsOf } from "../acts/acts-of.ts";
import { atCall, atEnd } from "../acts/cite.ts";
import { endedByItself, productEdits } from "../acts/work.ts";
import type { Detector } from "../detector.ts";
import { reportOf } from "./report.ts";

export const nothingRuns: Detector = {
  name: "nothing-runs",
  kind: "no-check",
  looksAt: "Reports in which no test passes at all, also none of what worked before, in a run that ended by itself after edits.",
  provedWrongBy: "The tests could not run for a reason outside the work: a missing service, a broken image.",
  lever: "run-visible-tests-before-finishing",
  confidence: "medium",
  detect(run) {
    const report = reportOf(run);
    if (!report?.kept || report.kept.total < 3 || report.kept.passed > 0 || report.asked.passed > 0) return [];
    if (!endedByItself(run) || productEdits(run).length === 0) return [];
    const lastCheck = actsOf(run).findLast(({ check }) => check !== undefined);
    const place = lastCheck ? atCall(lastCheck) : atEnd(run);
    if (!place) return [];
    return [
      {
        ...place,
        why: `After its edits none of ${report.kept.total} tests passes that passed before: what it left does not build or load.`,
        mechanism: "nothing passes after its edits",
      },
    ];
  },
};
