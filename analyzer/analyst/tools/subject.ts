import type { AnalyzedRun } from "../../runs/analyzed-run.ts";

/** What one conversation is about. */
export interface Subject {
  readonly run: AnalyzedRun;
  /** A run of the same task that passed, of the same configuration where there is one. */
  readonly sibling: AnalyzedRun | undefined;
}
