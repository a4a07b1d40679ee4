import type { z } from "zod";
import type { Effects, Part, ToolStatus } from "../agent/messages.ts";
import type { Question } from "../agent/ports.ts";
import type { JsonObject } from "../json.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** One tool, in a file of its own. `run` gets validated arguments and reaches the world through `context` alone. */
export interface Tool<Args = unknown> {
  readonly name: string;
  readonly description: string;
  readonly parameters: z.ZodType<Args>;
  /** Calls of tools that only look may overlap; any other call waits for the earlier calls of the same reply. */
  readonly readOnly: boolean;
  run(args: Args, context: ToolRunContext): Promise<ToolOutcome>;
}

export interface ToolRunContext {
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  readonly turn: number;
  readonly lane: string;
  /** Kept for the length of the run and shared by its tools: which files were read, background shells, the todo list. */
  readonly memory: ToolMemory;
  /** Asks the person; undefined when nobody is there. The answer is recorded. */
  ask(question: Question): Promise<string | undefined>;
  spawn(input: JsonObject): Promise<JsonObject>;
}

export interface ToolOutcome {
  readonly status: ToolStatus;
  readonly content: readonly Part[];
  /** Why it failed, in a word for machines: `not_found`, `not_unique`, `stale`, `bad_arguments`, … */
  readonly error?: string;
  /** What the tool knows of its own effects; `effects.ts` decides from it and from the workdir's tree. */
  readonly hint?: { readonly wrote?: readonly string[]; readonly command?: string; readonly exitCode?: number | null };
}

/** State of one run's tools. */
export interface ToolMemory {
  /** Digest of each file's content as the model last saw or wrote it, by absolute path. */
  readonly seen: Map<string, string>;
  readonly shells: Map<string, BackgroundShell>;
  todo: readonly { readonly text: string; readonly status: "pending" | "in_progress" | "done" }[];
}
export interface BackgroundShell {
  readonly id: string;
  readonly command: string;
  readonly log: string;
  /** Bytes of the log that the model has read. */
  offset: number;
}

export type { Effects };
