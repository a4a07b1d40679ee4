import { atCall } from "../acts/cite.ts";
import { mainEdit } from "../acts/work.ts";
import type { Detector } from "../detector.ts";
import { reportOf } from "./report.ts";
import { unrelatedTest } from "./unrelated-test.ts";

export const regression: Detector = {
  name: "regression",
  kind: "regression",
  looksAt: "Reports in which the requested behaviour passes and tests of what worked before fail.",
  provedWrongBy: "These tests fail on the unchanged project too, or the task asks for the behaviour that breaks them.",
  lever: "run-visible-tests-before-finishing",
  confidence: "medium",
  detect(run) {
    const report = reportOf(run);
    if (!report?.kept || report.kept.passed === report.kept.total || report.kept.passed === 0) return [];
    if (report.asked.total === 0 || report.asked.passed < report.asked.total || unrelatedTest.detect(run).length > 0) return [];
    const edit = mainEdit(run);
    if (!edit) return [];
    const count = report.kept.total - report.kept.passed;
    const why = `All that was asked passes, and ${count} of ${report.kept.total} tests that passed before its edits fail.`;
    return [{ ...atCall(edit), why, mechanism: "tests that passed before fail" }];
  },
};
