import type { ModelReply, Usage } from "../../../harness/contract/messages.ts";
import type { ModelRequest } from "../../../harness/contract/ports.ts";
import type { AgentWireName } from "../../../harness/contract/resolved-config.ts";
import type { JsonObject } from "../../../harness/json.ts";

/** A request as an agent sent it, as far as it is understood. */
export interface ReadRequest {
  readonly model: string;
  readonly stream: boolean;
  /** The format counts tokens of a stream only when asked. */
  readonly withUsage: boolean;
  readonly request: ModelRequest;
  /** What the body holds beside: of no message, prompt or tool. */
  readonly fields: JsonObject;
}

export type ReadReply = Omit<ModelReply, "usage" | "costUsd"> & {
  /** undefined where the provider did not say. */
  readonly usage: Usage | undefined;
  /** USD, where the provider says what it charged. */
  readonly charged?: number | undefined;
};

/** Puts a reply together as it passes. `take` gets each event of a stream, or the whole body; both throw what the harness' own providers throw. */
export interface ReplyReader {
  take(event: unknown): void;
  finish(): ReadReply;
}

/** A reply that goes out on a wire. */
export interface WrittenReply {
  readonly model: string;
  readonly withUsage: boolean;
  readonly reply: ModelReply;
  /** Unlike all others of the run: some agents take two replies of one id for one. */
  readonly id: string;
}

/** A wire format, as an agent's side of it is spoken. */
export interface GatewayWire {
  readonly name: AgentWireName;
  readonly path: string;
  /** What it takes for "stop now": another status on each wire makes agents give up at once. Source: measured on ten agents, docs/agents.md. */
  readonly stopStatus: 400 | 401 | 403;
  /** Understands what it can of any object; throws nothing. */
  read(body: JsonObject): ReadRequest;
  reader(o: { readonly who: string; readonly turn: number }): ReplyReader;
  /** A body, or the events of a stream, each whole. */
  whole(reply: WrittenReply): object;
  stream(reply: WrittenReply): readonly string[];
  /** An error in the provider's form. */
  error(status: number, words: string): object;
}
