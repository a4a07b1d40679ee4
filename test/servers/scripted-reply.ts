import type { IncomingHttpHeaders } from "node:http";

/** What the server is to answer to one request: something a model says, or a way of failing. Neutral of the wire format. */
export type ScriptedReply = ScriptedSpeech | ScriptedStatus | ScriptedRaw | ScriptedSilence;

/** An answer. The wire format is that of the request. */
export interface ScriptedSpeech {
  readonly text?: string;
  readonly thinking?: string;
  /** Of the thinking, on Anthropic's wire; left out: one of the server's own. */
  readonly signature?: string;
  /** `args` as a string goes out as it is, valid JSON or not. */
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly args: object | string }[];
  /** Left out: `calls` where there are calls, else `end`. */
  readonly stop?: "end" | "calls" | "length" | "refusal" | "context";
  /** Tokens as the harness counts them: `input` includes `cached`. null: the server says nothing of usage. */
  readonly usage?: {
    readonly input: number;
    readonly output: number;
    readonly cached?: number;
    readonly cacheWrite?: number;
    readonly reasoning?: number;
  } | null;
  readonly model?: string;
  readonly fingerprint?: string;
  /** Bytes a write; characters of more than one byte are cut too. Left out: everything in one write. */
  readonly chunkBytes?: number;
  /** Milliseconds from one write to the next. */
  readonly chunkEveryMs?: number;
  /** Milliseconds before the answer begins. */
  readonly afterMs?: number;
  /** The connection is cut after this many bytes of the body. */
  readonly breakAfterBytes?: number;
  /** Nothing more comes after this many bytes of the body, and the connection stays open. */
  readonly hangAfterBytes?: number;
  /** An error event in the stream after the text, in the place of its end. */
  readonly streamError?: { readonly type: string; readonly message: string };
}
/** An HTTP error, or any answer with a body of one's own. */
export interface ScriptedStatus {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
}
/** A 200 with this body, byte for byte. */
export interface ScriptedRaw {
  readonly raw: string | Uint8Array;
  readonly contentType?: string;
  readonly chunkBytes?: number;
}
/** `hang`: no answer at all. `endless-headers`: header after header, never a body. `reset`: the connection is closed at once. */
export interface ScriptedSilence {
  readonly silence: "hang" | "endless-headers" | "reset";
}

/** A request as it arrived. `body` is the parsed JSON, or the text where it is none. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Where the server looks at it. */
  readonly query?: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: Record<string, unknown>;
}
