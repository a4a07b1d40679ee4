import { ModelError } from "../../harness/contract/model-error.ts";
import { messageOf } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { ModelReply } from "../../harness/contract/messages.ts";
import { brokenOff, streamed } from "../../harness/models/simulated/server/stream-response.ts";
import type { Asked } from "./gateway-trial.ts";
import type { Translated } from "./upstream.ts";
import type { GatewayWire, WrittenReply } from "./wires/gateway-wire.ts";

/** Asks a model of Forge's, and writes its reply on the agent's wire. The reply is durable before the agent gets it. */
export async function translate({ trial, state, wire, raw, read, place }: Asked, upstream: Translated): Promise<Response> {
  const { clock, run } = trial;
  const { signal } = raw;
  const before = clock.now();
  const observed = { translated: "forge" };
  try {
    const { lane, ordinal, attempt } = place;
    const { reply: made, brokenOff: isBroken = false } = await upstream.ask(read.request, { place: { lane, ordinal, attempt }, signal });
    signal.throwIfAborted();
    const id = idOfReply(place);
    const reply = withOwnIds(made, wire.name === "anthropic-messages" ? "toolu" : "call", id);
    const written: WrittenReply = { model: read.model, withUsage: read.withUsage, reply, id };
    const pieces = read.stream ? wire.stream(written) : [JSON.stringify(wire.whole(written))];
    if (isBroken) {
      run.failed(place, { kind: "stream", message: "The stream broke off before its end.", activeMs: made.activeMs });
      return brokenOff(pieces, { stream: read.stream, headers: {}, hangUp: undefined });
    }
    run.replied(place, { ...reply, activeMs: made.activeMs, observed });
    await run.flush();
    state.lastReplyAt = clock.now();
    return sent(pieces, read.stream, signal);
  } catch (error) {
    state.lastReplyAt = clock.now();
    const activeMs = clock.now() - before;
    if (signal.aborted) {
      run.failed(place, { kind: "cut", message: "The agent closed its connection.", stage: "sent", silentMs: activeMs, activeMs });
      return new Response(null, { status: 499 });
    }
    const failure = error instanceof ModelError ? error : new ModelError("server", messageOf(error), { status: 500 });
    const { kind, message, status, retryAfterMs } = failure;
    run.failed(place, {
      kind,
      message,
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      activeMs: failure.activeMs ?? activeMs,
    });
    return failedWith(wire, { kind, message, status, retryAfterMs });
  }
}

/** Unlike that of every other reply of the run. */
export const idOfReply = ({ lane, ordinal, attempt }: Pick<Asked["place"], "lane" | "ordinal" | "attempt">): string =>
  sha256(`${lane}#${ordinal}/${attempt}`).slice(0, 24);

export const sent = (pieces: readonly string[], stream: boolean, signal: AbortSignal): Response =>
  stream
    ? streamed(pieces, { headers: {}, clock: undefined, activeMs: 0, signal })
    : new Response(pieces.join(""), { headers: { "content-type": "application/json" } });

/** A failure in the provider's form. */
export function failedWith(
  wire: GatewayWire,
  {
    kind,
    message,
    status,
    retryAfterMs,
  }: { kind: string; message: string; status?: number | undefined; retryAfterMs?: number | undefined },
): Response {
  const shown = status ?? statusOf[kind] ?? 500;
  return Response.json(wire.error(shown, message), {
    status: shown,
    headers: retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) },
  });
}

const statusOf: Readonly<Record<string, number>> = {
  rate_limit: 429,
  overloaded: 503,
  invalid: 400,
  context: 400,
  not_found: 404,
  auth: 401,
  quota: 402,
  timeout: 504,
};

/** Ids of calls that no other reply of the run has: some agents drop a call whose id they have seen. */
function withOwnIds<R extends ModelReply>(reply: R, kind: string, id: string): R {
  const own = new Map(reply.calls.map((call, i) => [call.id, `${kind}_${id.slice(0, 16)}_${i}`]));
  const renamed = <T extends { readonly id: string }>(call: T): T => ({ ...call, id: own.get(call.id) ?? call.id });
  return {
    ...reply,
    calls: reply.calls.map(renamed),
    message: { ...reply.message, content: reply.message.content.map((part) => (part.type === "call" ? renamed(part) : part)) },
  };
}
