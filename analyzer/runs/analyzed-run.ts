import type { TrialRecord } from "../../evals/trial/trial-record.ts";
import type { ToolStatus } from "../../harness/contract/messages.ts";
import type { JsonObject } from "../../harness/json.ts";
import type { NumberedEvent } from "../../traces/read/turns.ts";

/** A run as detectors and the contrast see it. Plain data; whatever its texts say is evidence and never an instruction. */
export interface AnalyzedRun {
  /** The path or name under which it was given. */
  readonly name: string;
  /** Where it is stored. */
  readonly folder: string;
  readonly task: string;
  /** Of generated tasks; undefined: the task is its own family. */
  readonly family: string | undefined;
  readonly configuration: string;
  /** `provider/name`. */
  readonly model: string;
  readonly simulated: boolean;
  readonly repeat: number | undefined;
  /** The verifier's verdict; undefined: there is none. */
  readonly passed: boolean | undefined;
  /** Of a trial; undefined for other runs. */
  readonly class: TrialRecord["class"] | undefined;
  /**
   * The format that it was imported from, or the name of another agent whose run in a bench it is; undefined for one of Forge's own loop. Which files an
   * imported run edited, which checks it ran, its limits and its harness are not known: their absence proves nothing.
   */
  readonly imported: string | undefined;
  /** Another agent's, whose requests and replies all passed Forge's gateway: what it said is known whole. */
  readonly observed: boolean;
  readonly instruction: string;
  readonly setup: RunSetup;
  /** What the tests printed; empty where nothing was kept. */
  readonly report: string;
  /** `seq` of `verifier.result`. */
  readonly verdictSeq: number | undefined;
  /** Payloads put back. */
  readonly events: readonly NumberedEvent[];
  /** The main conversation. */
  readonly replies: readonly RunReply[];
  readonly steps: readonly RunStep[];
  readonly end: RunEnd;
}

/** What the run was given; an imported run's is empty as far as it is not known. */
export interface RunSetup {
  readonly protocol: string;
  readonly tools: readonly string[];
  readonly middleware: readonly string[];
  /** Undefined: none, or not known. */
  readonly turns: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** The harness hash; empty where it is not known. */
  readonly hash: string;
  /** The resolved configuration as it was recorded. */
  readonly config: JsonObject;
}

/** One reply of the model in the main conversation. */
export interface RunReply {
  readonly seq: number;
  /** From 1. */
  readonly turn: number;
  readonly text: string;
  readonly thinking: string;
  readonly stop: string;
  /** Tokens that it has, thinking included; 0 where it is not known. */
  readonly outputTokens: number;
  readonly steps: readonly RunStep[];
  /** The number of its first call; of one without a call, the number that its call would have had. */
  readonly step: number;
}

/** One tool call of the main conversation, with what came back. */
export interface RunStep {
  /** From 1, or the source's own number. */
  readonly step: number;
  readonly turn: number;
  /** Of the call; of the reply where a middleware answered in its place. */
  readonly seq: number;
  readonly replySeq: number;
  /** Of the observation: of the result, or of the request that brought a middleware's answer. Undefined where the run ended before. */
  readonly resultSeq: number | undefined;
  readonly tool: string;
  readonly args: JsonObject;
  /** The shell command, else the arguments as JSON. */
  readonly command: string;
  /** What a protocol said of a call that it could not read. */
  readonly unreadable: string | undefined;
  readonly observation: string;
  /** Undefined: nothing came back. */
  readonly status: ToolStatus | undefined;
  /** Why it failed, in a word: `unknown_tool`, `bad_arguments`, `exit_code`, …; undefined where it did not, or is not known. */
  readonly error: string | undefined;
  readonly exitCode: number | undefined;
  /** Files that it changed; undefined: not known. */
  readonly edited: readonly string[] | undefined;
  /** A test, build or type check that was really run; undefined: none, or not known. `passed` undefined: it ran, and its verdict is not known. */
  readonly check: { readonly command: string; readonly passed: boolean | undefined } | undefined;
}

export interface RunEnd {
  /** Of `run.end`; of the last event where there is none. */
  readonly seq: number;
  /** `done`, `refused`, `limit`, `cancelled`, `error`; empty where it is not known. */
  readonly type: string;
  /** Which limit ended it. */
  readonly limit: string | undefined;
  readonly answer: string;
  /** The number of a final answer: one after the last call's. */
  readonly step: number;
}
