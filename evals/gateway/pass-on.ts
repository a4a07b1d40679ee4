import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { once } from "node:events";
import OpenAI from "openai";
import { messageOf } from "../../harness/errors.ts";
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

/** Hands a request to the provider and its reply to the agent, byte by byte, and reads both. The last event waits until the reply is durable. Undefined: the reply has been sent. */
export async function passOn(asked: Asked, upstream: PassedOn): Promise<Response | undefined> {
  const { trial, state, wire, raw, place } = asked;
  const { clock, run } = trial;
  const who = `${upstream.identity.provider}/${upstream.identity.name}`;
  const { outgoing, signal } = raw;
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
    if (signal.aborted) {
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

  signal.addEventListener("abort", failed, { once: true });

  let response: IncomingMessage;
  try {
    leave = await upstream.gate?.enter(signal);
    before = lastAt = clock.now();
    stage = "sent";
    response = await post(`${upstream.url}${raw.url.search}`, headersOf(asked, upstream), bodyOf(asked, upstream), signal);
  } catch (error) {
    failed(signal.aborted ? error : new ModelError("connection", `${who} cannot be reached: ${messageOf(error)}.`));
    return Response.json(wire.error(502, `${who} cannot be reached.`), { status: 502 });
  }
  const { statusCode: status = 502 } = response;
  const read = (reader: ReplyReader, event: unknown): void => {
    const error = errorIn(event);
    if (error) throw error;
    reader.take(event);
  };
  const type = response.headers["content-type"] ?? "";
  const isOk = status >= 200 && status < 300;
  const headers = passedHeaders(response);
  if (!isOk || !type.includes("text/event-stream")) {
    const text = await textOf(response).catch(failed);
    if (text === undefined) return Response.json(wire.error(502, `${who} broke off in mid-answer.`), { status: 502 });
    kept = text.slice(0, mostKept);
    try {
      const body = jsonOf(text);
      if (!isOk) throw OpenAI.APIError.generate(status, body as object, undefined, new Headers(headers));
      const reader = wire.reader({ who, turn: place.ordinal });
      read(reader, body);
      await replied(reader, { status, type });
    } catch (error) {
      failed(error);
    }
    outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) }).end(text);
    return undefined;
  }
  const reader = wire.reader({ who, turn: place.ordinal });
  const pieces = eventLines();
  outgoing.writeHead(status, headers);
  setImmediate(() => outgoing.flushHeaders()); // with the first piece where that is there, and without where a model thinks
  try {
    for await (const piece of response) {
      const bytes = piece as Uint8Array; // of a stream without an encoding
      lastAt = clock.now();
      stage = "answering";
      const { text, events, ends } = pieces.push(bytes);
      if (kept.length < mostKept) kept += text;
      try {
        for (const event of events) read(reader, event);
        if (ends) await replied(reader, { status, type });
      } catch (error) {
        failed(error); // the agent gets the bytes all the same
      }
      if (!outgoing.write(bytes)) await once(outgoing, "drain", { signal });
    }
    await replied(reader, { status, type }).catch(failed); // the agent sees the end as it came
    outgoing.end();
  } catch (error) {
    failed(error);
    outgoing.destroy();
  }
  return undefined;
}

/** Shorter than the five seconds after which servers close a connection that waits: one that is being closed is not taken. */
const waiting = { keepAlive: true, timeout: 3_000 };
const [httpAgent, httpsAgent] = [new HttpAgent(waiting), new HttpsAgent(waiting)];

/** Node's own client: `fetch` copies each piece of a body into a stream of its own, and gives up after five minutes of silence. */
function post(url: string, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const o = { method: "POST", headers, signal };
    const request = url.startsWith("https:")
      ? requestHttps(url, { ...o, agent: httpsAgent }, resolve)
      : requestHttp(url, { ...o, agent: httpAgent }, resolve);
    request.on("error", reject); // what fails later fails the response too
    request.end(body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of response) pieces.push(piece as Uint8Array); // of a stream without an encoding
  return Buffer.concat(pieces).toString("utf8");
}

/** What the client says of itself to the provider, but for the token, which is the trial's. */
function headersOf({ raw }: Asked, { headers }: PassedOn): Record<string, string> {
  const sent: Record<string, string> = { "content-type": "application/json", "accept-encoding": "identity" };
  for (const [name, value] of raw.headers) if (/^(accept|anthropic-(version|beta)|openai-beta)$/.test(name)) sent[name] = value;
  return { ...sent, ...headers };
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

const passedHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      /^(content-type|cache-control|retry-after(-ms)?|x-should-retry|(x-)?request-id|(anthropic|openai|x)-ratelimit-.*)$/.test(name)
        ? [[name, String(value)] as const]
        : [],
    ),
  );

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
