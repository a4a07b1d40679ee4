import type { Plan } from "../../harness/models/simulated/plan.ts";
import type { Draw } from "./draw.ts";

export const levels = ["easy", "medium", "hard"] as const;
/** How hard a generated task is: `easy` is within reach of a 1.5 B model, `hard` is meant to be hard for a frontier model. */
export type Level = (typeof levels)[number];

/** A kind of task that can be drawn fresh for ever: a pure function of what it draws. */
export interface Family {
  /** Kebab-case; also the first part of its tasks' names. */
  readonly name: string;
  /** One line for a list. */
  readonly summary: string;
  /** Whole families are kept apart, so that nobody tunes on what proves a change. */
  readonly split: "train" | "validation" | "test";
  readonly tags: readonly string[];
  /** Draws one task. The same draws give the same task, byte for byte; nothing else may be asked (no clock, no locale). */
  draw(draw: Draw, level: Level): TaskDraft;
}

/** A task before it is written down. Texts end with a newline or get one. */
export interface TaskDraft {
  /** What the agent is asked. Every `asked` of `checks` stands in it, word for word. */
  readonly instruction: string;
  /** For a beginner, at the easy level: what is to be done where, with the commands. The last section of the instruction. */
  readonly directions?: string;
  /** Files of the working directory by relative path. A `.sh` file and one that starts with `#!` is executable. */
  readonly app: Readonly<Record<string, string>>;
  /** `RUN` lines of the Dockerfile after the files are in place: a git history, a links' farm. Dates are fixed by the caller's `ENV`. */
  readonly build?: readonly string[];
  /** Tests among `app` that the agent may see; the verifier gets pristine copies in `tests/given/`. */
  readonly given?: readonly string[];
  /** What the verifier checks, by the name it reports, and the words of the instruction that ask for it. */
  readonly checks: Readonly<Record<string, string>>;
  /** Python below the common head (`from checks import *`): one function with `@check("name")` for each of `checks`. */
  readonly verify: string;
  /** Further files of `tests/`, by relative path. */
  readonly tests?: Readonly<Record<string, string>>;
  /** Shell, run in the working directory: solves the task. */
  readonly solve: string;
  /** Plausible mistakes by name, shell like `solve`; each must fail. At least two. */
  readonly wrong: Readonly<Record<string, string>>;
  readonly plan: Plan;
  /** Seconds; default 600 for the agent, 120 for the verifier. */
  readonly timeouts?: { readonly agent?: number; readonly verifier?: number };
  /** False where it cannot run in bubblewrap. Default true. */
  readonly local?: boolean;
}
