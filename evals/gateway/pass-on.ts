import OpenAI from "openai";
import { isObject } from "../../harness/json.ts";
import { ModelError } from "../../harness/contract/model-error.ts";
import type { RequestEnd } from "../../harness/models/rate-limits/rate-limit-gate.ts";
import { costOf } from "../../harness/models/prices/price-of-call.ts";
import { estimateUsage } from "../../harness/models/prices/estimate-usage.ts";
import { toModelError } from "../../harness/models/retry/to-model-error.ts";
import type { Asked } from "./gateway-trial.ts";
import { eventLines } from "./event-lines.ts";
import type { PassedOn } from "./upstream.ts";
import type { ReplyReader } from "./wires/gateway-wire.ts";

/** Characters of a reply's body that are kept as they came. */
export const mostKept = 8 * 1024 ** 2;

/** Hands a request to the provider and its reply to the agent, byte by byte, and reads both. The last event waits until the reply is durable. */
export async function passOn(asked: Asked, upstream: PassedOn): Promise<Response> {
  const { trial, state, wire, raw, place } = asked;
  const { clock, run } = trial;
  const who = `${upstream.identity.provider}/${upstream.identity.name}`;
  const ending = new AbortController();
  const signal = AbortSignal.any([raw.signal, ending.signal]);
  let before = clock.now();
  /** When the request went out, and then when the last piece came: what a silence is counted from. */
  let lastAt = before;
  let stage: "queued" | "sent" | "answering" = "queued";
  let leave: ((end: RequestEnd) => void) | undefined;
  let kept = "";
  let isOver = false;

  const failed = (error: unknown): void => {
    if (isOver) return;
    isOver = true;
    state.lastReplyAt = clock.now();
    const activeMs = clock.now() - before;
    if (raw.signal.aborted || ending.signal.aborted) {
      leave?.({ type: "failed" });
      run.failed(place, { kind: "cut", message: "The agent closed its connection.", stage, silentMs: clock.now() - lastAt, activeMs });
      return;
    }
    const { kind, message, status, retryAfterMs } = toModelError(error, { who, sdk: OpenAI, now: clock.now() });
    leave?.(kind === "rate_limit" || kind === "overloaded" ? { type: "limited", retryAfterMs } : { type: "failed" });
    run.failed(place, {
      kind,
      message,
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      activeMs,
    });
  };
  const replied = async (reader: ReplyReader, { status, type }: { status: number; type: string }): Promise<void> => {
    if (isOver) return;
    const { usage: counted, charged, ...reply } = reader.finish();
    isOver = true;
    leave?.({ type: "ok" });
    if (!counted && trial.limits.costUsd !== undefined && state.notes++ === 0)
      trial.note(
        `${who} did not count the tokens of a reply, so its cost is not known and limits.costUsd does not count it. Over Chat Completions a stream counts with stream_options.include_usage.`,
      );
    const usage = counted ?? estimateUsage(asked.read.request, reply.message);
    const costUsd = charged ?? (counted ? costOf(counted, upstream.price) : null);
    run.replied(place, { ...reply, usage, costUsd, activeMs: clock.now() - before, observed: { status, type, body: kept } });
    await run.flush();
    state.lastReplyAt = clock.now();
  };

  let response: Response;
  try {
    leave = await upstream.gate?.enter(signal);
    before = lastAt = clock.now();
    stage = "sent";
    response = await fetch(`${upstream.url}${new URL(raw.url).search}`, {
      method: "POST",
      headers: headersOf(asked, upstream),
      body: bodyOf(asked, upstream),
      signal,
    });
  } catch (error) {
    failed(raw.signal.aborted ? error : new ModelError("connection", `${who} cannot be reached: ${causeOf(error)}.`));
    return Response.json(wire.error(502, `${who} cannot be reached.`), { status: 502 });
  }
  const { status } = response;
  const read = (reader: ReplyReader, event: unknown): void => {
    const error = errorIn(event);
    if (error) throw error;
    reader.take(event);
  };
  const type = response.headers.get("content-type") ?? "";
  const headers = passedHeaders(response.headers);
  if (!response.ok || !type.includes("text/event-stream")) {
    const text = await response.text().catch(failed);
    if (text === undefined) return Response.json(wire.error(502, `${who} broke off in mid-answer.`), { status: 502 });
    kept = text.slice(0, mostKept);
    try {
      const body = jsonOf(text);
      if (!response.ok) throw OpenAI.APIError.generate(status, body as object, undefined, response.headers);
      const reader = wire.reader({ who, turn: place.ordinal });
      read(reader, body);
      await replied(reader, { status, type });
    } catch (error) {
      failed(error);
    }
    return new Response(text, { status, headers });
  }
  const reader = wire.reader({ who, turn: place.ordinal });
  const pieces = eventLines();
  const source = response.body?.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await source?.read();
        if (!next || next.done) {
          await replied(reader, { status, type }).catch(failed); // the agent sees the end as it came
          controller.close();
          return;
        }
        lastAt = clock.now();
        stage = "answering";
        const { text, events, ends } = pieces.push(next.value);
        if (kept.length < mostKept) kept += text;
        try {
          for (const event of events) read(reader, event);
          if (ends) await replied(reader, { status, type });
        } catch (error) {
          failed(error); // the agent gets the bytes all the same
        }
        controller.enqueue(next.value);
      } catch (error) {
        failed(error);
        controller.error(error);
      }
    },
    cancel() {
      ending.abort();
      failed(undefined);
    },
  });
  return new Response(body, { status, headers });
}

/** What the client says of itself to the provider, but for the token, which is the trial's. */
function headersOf({ raw }: Asked, { headers }: PassedOn): Headers {
  const sent = new Headers({ "content-type": "application/json", "accept-encoding": "identity" });
  for (const [name, value] of raw.headers) if (/^(accept|anthropic-(version|beta)|openai-beta)$/.test(name)) sent.set(name, value);
  for (const [name, value] of Object.entries(headers)) sent.set(name, value);
  return sent;
}

/** A failure that a provider reports inside a reply, whose status was 200: every wire has it as `error`. */
function errorIn(event: unknown): Error | undefined {
  const error = isObject(event) ? event["error"] : undefined;
  if (!isObject(error) && (typeof error !== "string" || error === "")) return undefined;
  return new OpenAI.APIError(undefined, isObject(error) ? error : { message: error }, undefined, undefined);
}

/** The bytes themselves, unless the provider has another name for the model. */
const bodyOf = ({ text, body, read }: Asked, { identity }: PassedOn): string =>
  read.model === identity.name ? text : JSON.stringify({ ...body, model: identity.name });

const passedHeaders = (from: Headers): Headers => {
  const passed = new Headers();
  for (const [name, value] of from)
    if (/^(content-type|cache-control|retry-after(-ms)?|x-should-retry|(x-)?request-id|(anthropic|openai|x)-ratelimit-.*)$/.test(name))
      passed.set(name, value);
  return passed;
};

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const causeOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
};
