import type { Emitter } from "../../../harness/agent/record/emitter.ts";
import type { Message, Section, ToolCall } from "../../../harness/contract/messages.ts";
import type { RequestRecorder } from "../../../harness/agent/record/request-record.ts";
import type { Outcome } from "../../../harness/contract/run-result.ts";
import type { ImportedItem, ImportedSession } from "../imported-session.ts";

/** A run of another agent on its way into a trace. */
export interface Writing {
  readonly session: ImportedSession;
  readonly emitter: Emitter;
  readonly requests: RequestRecorder;
  /** The run's own agent, and subagents by their key. */
  readonly voices: Map<string | undefined, Voice>;
  /** Calls without a result yet, by id. */
  readonly calls: Map<string, OpenCall>;
  /** Subagents that have ended. */
  readonly joined: Set<string>;
  /** Records that are no part of a conversation, by kind. */
  readonly kept: Map<string, number>;
  /** What `run.start` says of the task already, and where it stands. */
  readonly task: { readonly item: ImportedItem; readonly reference: string } | undefined;
}

/** An agent's conversation. */
export interface Voice {
  readonly lane: string;
  system: readonly Section[];
  messages: Message[];
  turns: number;
  readonly spent: { input: number; output: number; cached: number; costUsd: number | null };
  activeMs: number;
  /** Its last words. */
  answer: string;
  /** How it would end here. */
  outcome: Outcome;
  /** Subagents that it began beside its calls. */
  spawned: number;
}

export interface OpenCall {
  readonly call: ToolCall;
  readonly lane: string;
  readonly reference: string;
  /** Keys of the subagents that run within it. */
  readonly agents: string[];
}

export const newVoice = (lane: string): Voice => ({
  lane,
  system: [],
  messages: [],
  turns: 0,
  spent: { input: 0, output: 0, cached: 0, costUsd: 0 },
  activeMs: 0,
  answer: "",
  outcome: { type: "done" },
  spawned: 0,
});

/** The voice of an item; the run's own where a subagent never began. */
export function voiceOf({ voices }: Pick<Writing, "voices">, agent: string | undefined): Voice {
  const voice = voices.get(agent) ?? voices.get(undefined);
  if (!voice) throw new Error("A run has a voice of its own.");
  return voice;
}

/** The text of parts, images left out. */
export const said = (content: readonly { readonly type: string }[]): string =>
  content.flatMap((part) => ("text" in part && part.type === "text" ? [String(part.text)] : [])).join("\n");
