import type { RewardReading } from "./read-rewards.ts";
import type { DeltaRecord } from "../trial-record.ts";
import type { Delta } from "../keep/diff-trees.ts";
import type { WorkspaceHash } from "../../../harness/sandbox/workspace/workspace-hash.ts";

/** What verification made of an attempt. `score` null: the verifier is at fault, and the trial has no score. */
export interface Judgement {
  readonly class: "passed" | "agent" | "verifier";
  readonly rewards: Readonly<Record<string, number>> | null;
  readonly score: number | null;
  /** Why there was no reward to read, or why it was not taken. */
  readonly why?: string;
  /** What the agent changed, kept for a regrade. */
  readonly delta?: DeltaRecord;
  /** The workdir as the agent left it. */
  readonly workspace?: Workspace;
}
export interface Workspace {
  readonly hash: WorkspaceHash;
  /** Where the pristine tree is known (hardened mode). */
  readonly delta?: Delta;
}

export function judged(reading: RewardReading, workspace: Workspace | undefined, unreadableScore: 0 | null): Judgement {
  const seen = workspace ? { workspace } : {};
  if (reading.type === "unreadable") return { class: "verifier", rewards: null, score: unreadableScore, why: reading.why, ...seen };
  const why = reading.why === undefined ? {} : { why: reading.why };
  return { class: reading.score >= 1 ? "passed" : "agent", rewards: reading.rewards, score: reading.score, ...why, ...seen };
}
