import type { z } from "zod";
import type { TextResult } from "./middleware.ts";
import type { ExecOptions } from "../sandbox/sandbox.ts";

/** A tool of the user's own: what a file that a configuration names in `tools:` exports as default. */
export interface ToolDefinition<Args = unknown> {
  /** What the model calls it by: letters, digits, `_` and `-`, at most 64; no built-in tool's name. */
  readonly name: string;
  /** The tool as the model reads it. */
  readonly description: string;
  /** Of an object; checked before each call. The model gets its JSON Schema. */
  readonly parameters: z.ZodType<Args>;
  /** It changes nothing: calls may overlap, and are allowed where only looking is. Default false. */
  readonly readOnly?: boolean;
  /** Milliseconds of one call, at most 600,000; default 120,000. */
  readonly timeoutMs?: number;
  /**
   * One call. The text is the observation: cleaned, redacted, marked as data and capped at 30,000 characters by Forge. What it throws is an
   * observation too. It runs in Forge's own process; what it does in the workspace it does through `workspace`.
   */
  run(args: Args, workspace: ToolWorkspace): Promise<string> | string;
}

/** The sandbox as a tool of the user's own sees it, until its call is over; after that every call is refused. */
export interface ToolWorkspace {
  /** Absolute path, inside the sandbox, of the task's folder: where relative paths and commands start. */
  readonly workdir: string;
  /** Aborts when the time of the call is over, or the run ends. */
  readonly signal: AbortSignal;
  /** Runs a command with `sh -c`. Output is text here, at most 1 MiB of each. */
  exec(command: string, o?: Pick<ExecOptions, "cwd" | "env" | "timeoutMs">): Promise<TextResult>;
  /** Undefined where there is no such file. */
  readFile(path: string): Promise<string | undefined>;
  writeFile(path: string, text: string): Promise<void>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- each tool has its own arguments; a configuration holds them all
export type AnyToolDefinition = ToolDefinition<any>;

/**
 * Defines a tool.
 * @example
 * export default tool({
 *   name: "count_lines",
 *   description: "Counts the lines of a file.",
 *   parameters: z.strictObject({ path: z.string() }),
 *   readOnly: true,
 *   async run({ path }, workspace) {
 *     const text = await workspace.readFile(path);
 *     return text === undefined ? `There is no file ${path}.` : `${text.split("\n").length} lines`;
 *   },
 * });
 */
export const tool = <Args>(definition: ToolDefinition<Args>): ToolDefinition<Args> => definition;
