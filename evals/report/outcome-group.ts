import { crashIn } from "../trial/evidence/evidence.ts";
import type { TrialRecord } from "../trial/trial-record.ts";

/** What a trial counts as where failures are told by class: a short text, the same for trials that came out alike. */
export function outcomeGroup({ class: kind, outcome, score, evidence }: TrialRecord): string {
  switch (kind) {
    case "passed":
      return "passed";
    case "agent":
      return crashIn(evidence) ? "crash before any tool call" : agentGroup(outcome, score);
    case "verifier":
      return "verifier left no reward";
    case "infra":
      if (evidence?.some((seen) => seen["leftOut"] === true)) return "no score: too little was kept to verify it again";
      if (crashIn(evidence)) return "no score: the agent could not be started";
      return `infrastructure${evidence?.[0] ? ` (${evidence[0].kind})` : ""}`;
    case "cancelled":
      return "cancelled";
  }
}

function agentGroup(outcome: TrialRecord["outcome"], score: number | null): string {
  switch (outcome?.type) {
    case "done":
      return score !== null && score > 0 ? "ended, partly right" : "ended, wrong";
    case "limit":
      return `limit: ${limitName(String(outcome["limit"]))}`;
    case "refused":
      return "refused";
    case "error":
      return "error of the agent";
    default:
      return "wrong";
  }
}

const limitName = (limit: string): string => (limit === "activeMs" ? "active time" : limit === "costUsd" ? "cost" : limit);

/** Scored groups before unscored ones, passed first, the most frequent of the others before the rest. */
export function orderGroups(counts: ReadonlyMap<string, number>): string[] {
  const rank = (group: string): number => (group === "passed" ? 0 : /^(infrastructure|cancelled|verifier|no score)/.test(group) ? 2 : 1);
  return [...counts.keys()].toSorted((a, b) => rank(a) - rank(b) || (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (a < b ? -1 : 1));
}
