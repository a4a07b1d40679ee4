import type { Kind, Lever } from "../contract.ts";
import type { AnalyzedRun } from "../runs/analyzed-run.ts";

/** A rule that reads one run. One file each; pure: the same run gives the same candidates. */
export interface Detector {
  /** Kebab-case, unlike all others. */
  readonly name: string;
  readonly kind: Kind;
  /** A sentence each, for the reference page. */
  readonly looksAt: string;
  readonly provedWrongBy: string;
  /** What of the harness would most probably have saved such a run; null: nothing known. */
  readonly lever: Lever | null;
  /** What it says where it fires, unless a candidate says otherwise. `low`: a hint, never a run's first answer while a rule says more. */
  readonly confidence: "low" | "medium" | "high";
  detect(run: AnalyzedRun): readonly Candidate[];
}

/** What a detector found, before its citation is checked. */
export interface Candidate {
  readonly seq: number;
  /** Null: at no step. */
  readonly step: number | null;
  /** Copied from the event `seq`: at least 20 characters, or a whole field. */
  readonly quote: string;
  /** A sentence: what happened here. */
  readonly why: string;
  /** What runs with the same fault share, in few words and without names of tasks or files: `tool sed`, `not found: pytest`. Left out: the detector alone. */
  readonly mechanism?: string;
  readonly confidence?: "low" | "medium" | "high";
}
