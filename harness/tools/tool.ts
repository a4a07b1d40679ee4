import type { z } from "zod";
import type { Part, ToolStatus } from "../contract/messages.ts";
import type { Question } from "../contract/ports.ts";
import type { JsonObject } from "../json.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** One tool, in a file of its own. `run` gets validated arguments and reaches the world through `context` alone. */
export interface Tool<Args = unknown> {
  readonly name: string;
  readonly description: string;
  readonly parameters: z.ZodType<Args>;
  /** What the model is told of the parameters, where that is not made of `parameters`: the schema of a tool that is not ours. */
  readonly schema?: JsonObject;
  /** Calls of tools that only look may overlap; any other call waits for the earlier calls of the same reply. */
  readonly readOnly: boolean;
  /** Runs what the model wrote as a program: policy asks before it where commands are not confined. */
  readonly runsCommands?: boolean;
  /** What it does is done outside of the sandbox: policy asks before it. */
  readonly outside?: boolean;
  /** The paths that a call will touch, as the model gave them; policy checks each after resolving links. */
  paths?(args: Args): readonly string[];
  run(args: Args, context: ToolRunContext): Promise<ToolOutcome>;
}

export interface ToolRunContext {
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  readonly turn: number;
  readonly lane: string;
  /** Kept for the length of the run and shared by its tools: which files were read, background shells, the todo list. */
  readonly memory: ToolMemory;
  /** A folder inside the sandbox, outside the workdir, for logs and long outputs; made on first use. */
  scratch(): Promise<string>;
  /** Asks the person; undefined when nobody is there. The answer is recorded. */
  ask(question: Question): Promise<string | undefined>;
  spawn(input: JsonObject): Promise<JsonObject>;
}

export interface ToolOutcome {
  readonly status: ToolStatus;
  /** What came from the world (a command's output, a file's text): cleaned, marked as untrusted and capped by the registry. */
  readonly content: readonly Part[];
  /** What stood before the text of `content` and was answered earlier: not shown again, but a secret that begins in it and goes on is found. */
  readonly before?: string;
  /** The harness's own words, put after the content and never cut: exit code, what to do next. */
  readonly note?: string;
  /** Why it failed, in a word for machines: `not_found`, `not_unique`, `stale`, `bad_arguments`, … */
  readonly error?: string;
  /** What the tool knows of its own effects; `effects.ts` decides from it and from the workdir's tree. */
  readonly hint?: { readonly wrote?: readonly string[]; readonly command?: string; readonly exitCode?: number | null };
}

/** State of one run's tools. */
export interface ToolMemory {
  /** Digest of each file's content as the model last saw or wrote it, by absolute path. */
  readonly seen: Map<string, string>;
  /** Digest of the content that a `read` of this path and range has shown, until a repetition was answered with a stub. */
  readonly shown: Map<string, string>;
  readonly shells: Map<string, BackgroundShell>;
  todo: readonly TodoItem[];
}
export interface TodoItem {
  readonly text: string;
  readonly status: "pending" | "in_progress" | "done";
}

/** A command that goes on after its call has been answered: an `exec` of the sandbox that has not returned yet. */
export interface BackgroundShell {
  readonly id: string;
  readonly command: string;
  /** The file in the sandbox that takes its output, and the one with its process id. */
  readonly log: string;
  readonly pidFile: string;
  /** Bytes of the log that the model has read. */
  offset: number;
  /** Undefined while it runs; `exitCode` is null where it was ended. */
  ended: { readonly exitCode: number | null } | undefined;
  /** The end was told to the model. */
  told: boolean;
  /** Settles when it has ended; never rejects. */
  readonly done: Promise<void>;
  /** Ends it and all its descendants at once. */
  kill(): void;
}
