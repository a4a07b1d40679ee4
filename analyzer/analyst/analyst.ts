import type { ResolvedConfig, ResolvedModel } from "../../harness/contract/resolved-config.ts";
import type { RunResult } from "../../harness/contract/run-result.ts";
import type { JsonObject } from "../../harness/json.ts";
import type { Tool } from "../../harness/tools/tool.ts";
import type { LoadedTrace } from "../../traces/read/load-trace.ts";

/** A conversation with the analyst's model: a run of the same loop as any other, recorded. */
export interface AnalystConversation {
  readonly config: ResolvedConfig;
  /** In place of the harness' own tools. They only look: no shell, no file is written. */
  readonly tools: readonly Tool[];
  readonly task: string;
  /** The run that it is about, as it was named; undefined: findings of several are sorted. */
  readonly about: string | undefined;
  /** New: becomes the run's. */
  readonly folder: string;
  readonly seed: number;
  readonly meta: JsonObject;
  /** A recording of the same conversation that broke off: what is in it is not asked again. */
  readonly after: LoadedTrace | undefined;
  readonly signal: AbortSignal;
}

/** A model that reads failed runs, and what reading may cost. */
export interface Analyst {
  readonly model: ResolvedModel;
  /** `tools`: a conversation with tools over the run. `one-call`: everything in one message, for models that call no tools. */
  readonly form: "tools" | "one-call";
  /** Tokens that the prompt and what is shown of a run have at most, without the reply. */
  readonly windowTokens: number;
  /** Conversations at a time. */
  readonly parallel: number;
  /** USD for the whole analysis; nothing is started that would pass it. */
  readonly maxCostUsd: number | undefined;
  /** USD for a call of so many tokens; null: the price is not known. */
  readonly priceOf: (usage: { readonly input: number; readonly output: number }) => number | null;
  /** Hears before anything is asked what is to be read and what it may cost; false: nothing is. */
  readonly confirm: (plan: ReadingPlan) => Promise<boolean>;
  /** A folder of conversations that were recorded before, and a hash of them: a question that is in it is served from there, and not asked. */
  readonly recorded?: { readonly folder: string; readonly digest: string };
  readonly converse: (conversation: AnalystConversation) => Promise<RunResult>;
  /** Hears once that the server takes no JSON schema, and replies are asked for in words alone. */
  readonly onSchemaRefused?: () => void;
  readonly onProgress?: (done: number, of: number) => void;
}

export interface ReadingPlan {
  readonly runs: number;
  readonly input: number;
  readonly output: number;
  /** Null: the price is not known. */
  readonly costUsd: number | null;
}
