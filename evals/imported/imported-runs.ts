import type { GatheredArms } from "./gather-arms.ts";
import type { ImportFormat, ImportedTrial } from "./imported-trial.ts";

/** What one named place holds: runs of another runner, or a table. */
export interface ImportedRuns extends GatheredArms {
  /** As the user named it. */
  readonly place: string;
  readonly format: ImportFormat;
  /** As far as it is recorded. */
  readonly suite: string | null;
  /** What a verdict on these would need and they do not say; each a sentence without its full stop. */
  readonly notKnown: readonly string[];
  /** What makes them less than was asked; each a sentence without its full stop. */
  readonly shortcomings: readonly string[];
  /** Those of the shortcomings that leave open what the whole would have shown: not finished, or too much without a score. */
  readonly incomplete?: readonly string[];
  /** Those of them that say that a run is not at its end: no verdict rests on it. */
  readonly unfinished?: readonly string[];
}

/** What a reader found out besides the trials themselves. */
export interface ReadingNotes {
  suite: string | null;
  readonly notKnown: string[];
  readonly shortcomings: string[];
  /** Shortcomings too: a run that is not at its end. */
  readonly unfinished: string[];
}

/** Reads one format. `read` tells each trial to `add` as it comes, so that nobody holds all of a large file. */
export interface RunReader {
  readonly format: ImportFormat;
  /** As it is named to a person. */
  readonly runner: string;
  readonly read: (place: string, add: (trial: ImportedTrial) => void, notes: ReadingNotes) => Promise<void>;
}
