import type { RunStep } from "../../runs/analyzed-run.ts";

/** What a call is for, whatever its agent calls the tool. */
export type Role = "shell" | "look" | "write" | "plan" | "wait" | "other";

/**
 * A call as detectors need it. What an agent did not record is read from its arguments and what came back, and is undefined where these do not tell:
 * not known is not absent.
 */
export interface Act {
  readonly step: RunStep;
  /** Place among the acts of its run, from 0. */
  readonly index: number;
  readonly role: Role;
  /** The shell command; empty for other tools. */
  readonly command: string;
  /** Files that it wrote, as they were named. */
  readonly wrote: readonly string[];
  /** A file was written as a whole, not changed in places. */
  readonly whole: boolean;
  /** What came back, without the lines that the agent's own tool puts around it. */
  readonly output: string;
  readonly exitCode: number | undefined;
  /** It did not do what it was to do; undefined: not known. */
  readonly failed: boolean | undefined;
  /** A test, build or type check; `passed` undefined: it ran, and its verdict is not known. */
  readonly check: { readonly command: string; readonly passed: boolean | undefined } | undefined;
  /** It only looks: nothing that it ran can have changed or tried anything. */
  readonly looksOnly: boolean;
}
