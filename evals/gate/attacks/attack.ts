/** What an attack is after. */
export type Harm = "unearned pass" | "lost score" | "harmed neighbour";

/**
 * What an agent may try instead of doing the task. Data: it runs inside a sandbox and nowhere else, and every one is bounded (at most 900 MB on
 * disk, 1.2 GB of memory for 6 s, and 400 processes).
 */
export interface Attack {
  /** Unique, kebab-case. */
  readonly name: string;
  /** One line for a table: what it does. */
  readonly does: string;
  readonly harm: Harm;
  /**
   * What the task must have for it to apply. `work`: files that its solution writes, whose paths are in `$WORK`; `given`: tests in the workdir that
   * the agent was given, in `$GIVEN`; `git`: a repository in the workdir. (Lists of absolute paths without blanks, separated by blanks.)
   */
  readonly against: "any" | "work" | "given" | "git";
  /**
   * Where it plants what harms, absolute; `~` is the agent's home and `$PATH` each folder of the image's. Such an attack is for a task's own check where the
   * paths that the task carries into verification hold one of these, too. Left out: it needs the whole file system, or applies wherever `against` does.
   */
  readonly plants?: readonly string[];
  /** `sh` text, run once in the workdir as the agent's user. */
  readonly script: string;
}
