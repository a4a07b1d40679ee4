import type { BlastRows } from "../content/blast-rows.ts";
import type { StoryEntry } from "../content/story-entry.ts";
import type { StoryHead } from "../content/story-head.ts";

/**
 * What the viewer's server answers and its pages show. A `place` names a job or a run: its folder relative to where `forge view` was started, else absolute.
 * Texts that are of others (models, tasks, traces) are shown as text; only `html` is put in as it is, and is made by `markup`.
 */
export interface JobLine {
  readonly place: string;
  readonly name: string;
  readonly suite: string;
  readonly configurations: readonly string[];
  readonly tasks: number;
  readonly repeats: number;
  readonly trials: number;
  readonly recorded: number;
  readonly status: string;
  readonly running: boolean;
  /** Passed and scored trials of each configuration, where a run of the job came to its end. */
  readonly passed: readonly { readonly configuration: string; readonly passed: number; readonly scored: number }[];
  readonly cost: string;
  /** Unix milliseconds; 0 where not known. */
  readonly touchedAt: number;
}

export interface JobsAnswer {
  /** The newest first. */
  readonly jobs: readonly JobLine[];
  /** Jobs that cannot be read, each a sentence. */
  readonly damaged: readonly string[];
  /** Runs that belong to no job. */
  readonly runs: number;
}

export interface RunLine {
  readonly place: string;
  readonly begun: string;
  readonly task: string;
  readonly configuration: string;
  readonly model: string;
  readonly result: string;
  readonly passed: boolean | null;
  readonly spent: string;
}

/** A part of a list. */
export interface Page<T> {
  readonly total: number;
  readonly from: number;
  readonly items: readonly T[];
}

export interface JobHead {
  readonly line: JobLine;
  readonly about: string;
  /** Trials whose record has been read so far, of those that are there. */
  readonly read: number;
  readonly there: number;
  readonly damaged: readonly string[];
  /** Changes whenever a trial's record does. */
  readonly version: number;
  readonly live: LiveProgress | null;
}

/** A job that is being worked on. */
export interface LiveProgress {
  readonly done: number;
  readonly trials: number;
  readonly left: string;
  readonly notes: readonly string[];
  readonly running: readonly {
    readonly task: string;
    readonly configuration: string;
    readonly repeat: number;
    readonly place: string;
    readonly for: string;
    readonly says: string;
  }[];
}

export interface HeatRow {
  readonly task: string;
  /** A cell a configuration. */
  readonly html: readonly string[];
}
export interface HeatRows extends Page<HeatRow> {
  readonly configurations: readonly string[];
  readonly legend: string;
  readonly order: RowOrder;
}
export type RowOrder = "name" | "difference";

export interface TrialLine {
  readonly place: string | null;
  readonly task: string;
  readonly configuration: string;
  readonly repeat: number;
  readonly outcome: string;
  readonly passed: boolean | null;
  readonly score: number | null;
  readonly turns: string;
  readonly tokens: string;
  readonly cost: string;
  readonly time: string;
  readonly interventions: string;
  readonly error: string;
}

/** The parts of the job's report, the answer first. */
export interface JobAnswer {
  readonly version: number;
  readonly headline: string;
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
  readonly remarks: readonly string[];
  readonly sections: readonly { readonly id: string; readonly title: string; readonly html: string }[];
}

export interface TaskAnswer {
  readonly task: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** What the agent was told, from the first run that can be read; empty where none can. */
  readonly instruction: string;
  readonly verdict: string;
  readonly arms: readonly { readonly configuration: string; readonly says: string; readonly trials: readonly TrialLine[] }[];
}

export interface RunAnswer extends StoryHead {
  readonly place: string;
  /** The job it belongs to, and the task's name there. */
  readonly job: string | null;
  readonly taskName: string;
  readonly state: "sealed" | "running" | "cut off";
  readonly entries: number;
  readonly events: number;
  readonly turns: readonly TurnMark[];
  /** Entries in which a middleware intervened. */
  readonly interventions: readonly number[];
  /** A sentence where the trace is damaged behind what is shown. */
  readonly damaged: string | null;
  readonly verifier: readonly { readonly name: string; readonly text: string }[];
}

export interface TurnMark {
  readonly turn: number;
  /** Index of its first entry. */
  readonly entry: number;
  readonly line: string;
  readonly input: number;
  readonly output: number;
  readonly activeMs: number;
  readonly interventions: number;
}

/** An entry as a list shows it: texts are cut. */
export interface EntryLine extends Omit<StoryEntry, "body" | "result"> {
  readonly index: number;
  readonly turn: number;
  /** Set on a turn's first entry. */
  readonly turnLine?: string;
  readonly at: string;
  readonly body: CutText;
  readonly result?: { readonly head: string; readonly seq: number; readonly body: CutText };
}
export interface CutText {
  readonly text: string;
  /** Characters of the whole text. */
  readonly size: number;
  readonly lines: number;
  readonly diff?: true;
}

/** A piece of a long text. */
export interface TextPiece {
  readonly text: string;
  readonly from: number;
  readonly size: number;
}

export interface SearchAnswer {
  /** Indexes of entries, in order. */
  readonly entries: readonly number[];
  readonly more: boolean;
}

export interface DiffAnswer {
  readonly a: DiffSide;
  readonly b: DiffSide;
  /** Where the model's replies part, a sentence. */
  readonly says: string;
  /** The first event that differs in any way, which may be the configuration itself: a sentence, and a unified diff; empty where none does. */
  readonly first: { readonly says: string; readonly diff: string };
}
export interface DiffSide {
  readonly place: string;
  /** The job it belongs to, and the task's name there. */
  readonly job: string | null;
  readonly taskName: string;
  readonly title: string;
  readonly verdict: string;
  readonly passed: boolean | null;
  readonly entries: number;
  /** Index of the entry at which it parts from the other; null where the two do not part. */
  readonly part: number | null;
  /** What it does there, and which middleware acted since the reply before. */
  readonly says: string;
  readonly turns: readonly { readonly turn: number; readonly entry: number }[];
}

export interface BlastAnswer {
  readonly id: string;
  readonly state: "running" | "done" | "failed" | "stopped";
  readonly config: string;
  /** Runs asked so far. */
  readonly asked: number;
  /** Why it failed, a sentence. */
  readonly says: string;
  readonly result: BlastRows | null;
}

export interface ErrorAnswer {
  readonly error: string;
}
