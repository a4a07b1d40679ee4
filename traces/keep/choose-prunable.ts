import type { RunOverview } from "../read/run-overview.ts";

/** A run and what it takes on disk. */
export interface StoredRun extends Pick<RunOverview, "folder" | "state" | "pinned" | "touchedAt"> {
  readonly stored: number;
}

export interface PruneRule {
  /** Milliseconds since the last change. */
  readonly olderThanMs?: number;
  /** Bytes of one run. */
  readonly largerThan?: number;
  /** Only what a process that was ended left: without a seal, and written by nobody. */
  readonly unsealed?: boolean;
  /** Bytes that all runs together may keep: of those that the others allow, the oldest go until it is enough. */
  readonly keep?: number;
}

/** The runs that a rule gives up, oldest first: never one that is pinned, being written, of a later version, unreadable, or damaged, which may be all that is left of it. Without a rule, none. */
export function choosePrunable<T extends StoredRun>(runs: readonly T[], rule: PruneRule, now: number): T[] {
  const { olderThanMs, largerThan, unsealed = false, keep } = rule;
  if (olderThanMs === undefined && largerThan === undefined && keep === undefined && !unsealed) return [];
  const candidates = runs
    .filter(({ pinned, state }) => !pinned && !["running", "damaged", "unreadable", "later version"].includes(state))
    .filter(({ state }) => !unsealed || state === "cut off" || state === "empty")
    .filter(({ touchedAt }) => olderThanMs === undefined || now - touchedAt > olderThanMs)
    .filter(({ stored }) => largerThan === undefined || stored > largerThan)
    .toSorted((a, b) => a.touchedAt - b.touchedAt);
  if (keep === undefined) return candidates;
  let left = runs.reduce((sum, { stored }) => sum + stored, 0);
  return candidates.filter(({ stored }) => {
    if (left <= keep) return false;
    left -= stored;
    return true;
  });
}
