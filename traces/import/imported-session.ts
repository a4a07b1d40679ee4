import type { AssistantMessage, Part, ToolCall, ToolSchema, ToolStatus, Usage } from "../../harness/contract/messages.ts";
import type { Outcome } from "../../harness/contract/run-result.ts";
import type { ForgeError } from "../../harness/errors.ts";
import type { JsonObject } from "../../harness/json.ts";
import type { NotKnown } from "../read/imported.ts";

/** What a reader makes of one run of another agent. */
export interface ImportedSession {
  /** Of the reader. */
  readonly format: string;
  /** What it is called, as a folder may be named after it; unlike all others of the place. */
  readonly name: string;
  /** The file that it is made of, or where else it came from. */
  readonly file: string;
  /** SHA-256 of all that it is made of: another one, and there is something new. */
  readonly digest: string;
  readonly agent: { readonly name: string; readonly version: string };
  /** `provider/name` as far as known; empty where nothing is. */
  readonly model: string;
  /** Of the task, where there is one; else the beginning of what was asked is shown. */
  readonly taskName?: string;
  /** Unix milliseconds; left out: the first time that an item has. */
  readonly startedAt?: number;
  readonly tools: readonly ToolSchema[];
  readonly items: readonly ImportedItem[];
  /** Left out: told by the last reply. */
  readonly outcome?: Outcome;
  /** `report`: what the verifier printed; null where the source has a place for it and nothing in it. */
  readonly verdict?: {
    readonly rewards: Readonly<Record<string, number>> | null;
    readonly passed: boolean;
    readonly report?: string | null;
  };
  /** What the source cannot tell, so that its empty values are not taken for none. */
  readonly notKnown?: readonly NotKnown[];
  /** Sums of the source, where it gives no numbers for each reply. */
  readonly totals?: { readonly input: number; readonly output: number; readonly cached: number; readonly costUsd: number | null };
  /** What else is known of the run. */
  readonly facts: JsonObject;
}

interface Placed {
  /** Unix milliseconds; undefined: with what stands before it. */
  readonly at?: number | undefined;
  /** The subagent, by the key that its `spawn` gave it; undefined: the run's own agent. */
  readonly agent?: string | undefined;
  /** Fields of the record that have no place in an event of ours. */
  readonly source?: JsonObject | undefined;
}
/** In the order in which it happened. */
export type ImportedItem = Placed &
  (
    | { readonly type: "system"; readonly text: string }
    | { readonly type: "user"; readonly content: readonly Part[] }
    /** In the conversation already: nobody said it now. */
    | { readonly type: "context"; readonly message: AssistantMessage }
    | {
        readonly type: "reply";
        readonly message: AssistantMessage;
        readonly calls: readonly ToolCall[];
        /** Of each call: as `source`, where calls have records of their own. */
        readonly callSources?: readonly JsonObject[];
        readonly usage: Usage;
        readonly stop: "end" | "calls" | "length" | "refusal";
        readonly costUsd: number | null;
        readonly activeMs: number;
        readonly model?: string | undefined;
      }
    | { readonly type: "result"; readonly callId: string; readonly status: ToolStatus; readonly content: readonly Part[] }
    /** A subagent begins, within the call that it belongs to where that is known. */
    | { readonly type: "spawn"; readonly key: string; readonly callId?: string | undefined; readonly task: string }
    /** The conversation was shortened: what follows does not have what stands before. */
    | { readonly type: "compact" }
    /** What is none of these. It is kept as it is and counted under its kind. */
    | { readonly type: "record"; readonly kind: string; readonly record: JsonObject }
  );

/** Reads runs of other agents. One file a reader. */
export interface TraceReader {
  readonly format: string;
  /** What a place must be, for help texts. */
  readonly takes: string;
  /** Whether a place is such a one, by names and the beginnings of files; a file that is JSON as a whole has no telling beginning, and is read. */
  recognizes(place: string): Promise<boolean>;
  /** The runs of a place, one after the other: only one is in memory. One that cannot be read is an error in its place. Throws `ForgeError` alone, whatever stands there. */
  read(place: string): AsyncIterable<ImportedSession | ForgeError>;
}
