/** Results of other runners that can be read. */
export const importFormats = ["harbor", "terminal-bench", "inspect", "csv", "jsonl", "langsmith"] as const;
export type ImportFormat = (typeof importFormats)[number];

/** One trial as another runner's results tell it. What a format does not record is null. */
export interface ImportedTrial {
  readonly task: string;
  /** Of the task's contents, with the name of the scheme before it: only digests of one scheme can be told apart. */
  readonly taskDigest?: string | null;
  /** Agent, configuration or solver: what is compared. */
  readonly arm: string;
  readonly model: string | null;
  /** All that makes the arm what it is besides its name, as far as it is recorded: equal arms are one configuration. */
  readonly identity?: string | null;
  /** What tells this trial from the task's others in the arm: the same twice is one trial. Null: each is a trial of its own. */
  readonly repeat: string | number | null;
  /** 1 passes; null for a trial without a score. */
  readonly score: number | null;
  /** Tasks of one family are variants of one another. */
  readonly family?: string | null;
  readonly category?: string | null;
  readonly difficulty?: string | null;
  /** Those of the cache are in `tokensIn`. */
  readonly tokensIn?: number | null;
  readonly tokensOut?: number | null;
  readonly tokensCached?: number | null;
  readonly costUsd?: number | null;
  readonly activeMs?: number | null;
  readonly turns?: number | null;
  /** Folder or file, relative to the place that was named. */
  readonly trace?: string | null;
  /** For messages: `line 17 of runs.csv`. */
  readonly place: string;
}
