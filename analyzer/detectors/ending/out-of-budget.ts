import { atEnd } from "../acts/cite.ts";
import { productEdits } from "../acts/work.ts";
import type { Detector } from "../detector.ts";
import { reportOf } from "../verdict/report.ts";

export const outOfBudget: Detector = {
  name: "out-of-budget",
  kind: "out-of-budget",
  looksAt: "Runs that a limit ended, turns, tokens, cost or time, with the work unfinished by the verifier's report.",
  provedWrongBy:
    "What was there when the limit came was all that the agent meant to make: the report finds one thing wrong and nothing missing.",
  lever: "longer-limit",
  confidence: "medium",
  detect(run) {
    if (run.end.type !== "limit" && !(run.end.type === "cancelled" && run.end.limit === "deadline")) return [];
    // Both have a rule of their own.
    if (run.end.limit === "context" || run.end.limit === "output") return [];
    const report = reportOf(run);
    const nearly =
      report !== undefined && report.asked.total >= 5 && report.asked.passed / report.asked.total > 0.8 && productEdits(run).length > 0;
    const place = atEnd(run);
    if (!place || nearly) return [];
    const why = `The limit of ${limitName(run.end.limit)} ended the run before it was done.`;
    return [{ ...place, why, mechanism: `limit ${run.end.limit ?? ""}` }];
  },
};

const limitName = (limit: string | undefined): string =>
  ({ activeMs: "time", deadline: "time", turns: "turns", tokens: "tokens", costUsd: "cost" })[limit ?? ""] ?? "its budget";
