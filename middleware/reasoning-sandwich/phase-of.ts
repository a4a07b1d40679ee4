import type { RunLog } from "../../harness/contract/middleware.ts";
import type { Limits, Spent } from "../../harness/contract/run-result.ts";
import { editedPaths } from "../edited-paths.ts";

export type WorkPhase = "plan" | "work" | "verify" | "unknown";

/** What the agent is doing before its next model call, told from what it did. `planUntil` is a share of a limit, 0 to 1. */
export function phaseOf(log: RunLog, spent: Spent, limits: Limits, planUntil: number): { phase: WorkPhase; why: string } {
  const lastEdit = log.calls.findLast((record) => editedPaths(record).length > 0 && record.result?.effects.check === undefined);
  const lastCheck = log.calls.findLast((record) => record.result?.effects.check !== undefined);
  const lastRefusal = log.interventions.findLast((one) => one.phase === "finish" && one.change === "resume");
  const editedIn = lastEdit?.turn ?? 0;

  if (lastRefusal && lastRefusal.turn >= editedIn) return { phase: "verify", why: "a finish was refused" };
  if (lastEdit) {
    return lastCheck && isAfter(lastCheck, lastEdit)
      ? { phase: "verify", why: "a check ran after the last edit" }
      : { phase: "work", why: "editing" };
  }
  if (lastCheck && editedPaths(lastCheck).length > 0) return { phase: "verify", why: "a check ran after the last edit" };
  const used = shareUsed(limits, spent);
  return used < planUntil
    ? { phase: "plan", why: "no edit yet" }
    : { phase: "unknown", why: `no edit after ${Math.round(used * 100)} % of a limit` };
}

const isAfter = (one: { turn: number; index: number }, other: { turn: number; index: number }): boolean =>
  one.turn > other.turn || (one.turn === other.turn && one.index > other.index);

/** Of the limit that is used up most; 0 without limits. The turn about to begin is not used yet. */
function shareUsed(limits: Limits, spent: Spent): number {
  const share = (used: number | null, allowed: number | undefined): number => (used === null || !allowed ? 0 : used / allowed);
  return Math.max(
    share(spent.turns - 1, limits.turns),
    share(spent.input + spent.output, limits.tokens),
    share(spent.costUsd, limits.costUsd),
    share(spent.activeMs, limits.activeMs),
  );
}
