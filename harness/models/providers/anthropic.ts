import Anthropic from "@anthropic-ai/sdk";
import type { ModelReply, Usage } from "../../contract/messages.ts";
import type { Model, ModelRequest } from "../../contract/ports.ts";
import { costOf } from "../prices/price-of-call.ts";
import type { ModelError } from "../../contract/model-error.ts";
import { clientOptions } from "./clients/client-options.ts";
import { type StreamedReply, type StreamPorts, streamedCall } from "./streamed-call.ts";
import { createRefusalMemory } from "../retry/refusal-memory.ts";
import { saying, type SdkErrors, toModelError } from "../retry/to-model-error.ts";
import { type AnthropicReply, anthropicReply } from "./anthropic-reply.ts";
import { rowOf } from "../families/find-row.ts";
import { anthropicRequest, refusedOptional, sentOf } from "./anthropic-request.ts";
import { providerIdentity } from "./provider-identity.ts";
import type { ProviderOptions } from "./provider-options.ts";

/** Times that one reply is continued. */
const mostPauses = 10;
/** platform.claude.com, "API versioning"; the words: decolua/9router#2357. */
const newVersion = "anthropic-version 2026-10-21";
const oldVersion = "2023-06-01";
const isVersionRefusal = /^400 .*anthropic-version.*is not a valid version/;

type Said = AnthropicReply & Pick<ModelReply, "costUsd">;

function joined(first: Said, next: Said): Said {
  return {
    ...next,
    message: { role: "assistant", content: [...first.message.content, ...next.message.content] },
    calls: [...first.calls, ...next.calls],
    usage: first.usage && next.usage && added(first.usage, next.usage),
    costUsd: first.costUsd === null || next.costUsd === null ? null : first.costUsd + next.costUsd,
  };
}

const added = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cached: a.cached + b.cached,
  cacheWrite: (a.cacheWrite ?? 0) + (b.cacheWrite ?? 0),
  ...(a.reasoning === undefined && b.reasoning === undefined ? {} : { reasoning: (a.reasoning ?? 0) + (b.reasoning ?? 0) }),
});

/** A client of one of Anthropic's SDKs, as far as it is used. A cloud's SDK may bring its own copy of the errors. */
export interface MessagesClient {
  readonly client: Pick<Anthropic, "post">;
  readonly errors: SdkErrors;
  /** What this client throws that is neither the server's nor the network's. */
  explain?(error: unknown): ModelError | undefined;
}

const connectAnthropic = (o: ProviderOptions): MessagesClient => ({
  client: new Anthropic({ ...clientOptions(o), apiKey: o.apiKey, authToken: null, baseURL: o.baseUrl ?? "https://api.anthropic.com" }),
  errors: Anthropic,
});

/**
 * A model behind Anthropic's messages API, or a server or cloud that speaks it. Native tool calls; always streams; one try a call, but for what Forge adds by
 * itself and the server refuses: that is left out from then on.
 */
export function createAnthropicModel(o: ProviderOptions, { client, errors, explain }: MessagesClient = connectAnthropic(o)): Model {
  const who = `${o.provider}/${o.name}`;
  const { identity, price } = providerIdentity(o);
  const row = rowOf(who, o.row);
  const refusals = o.refusals ?? createRefusalMemory();

  /** The provider's own tools may pause a reply, which goes on where its message is sent back. Source: platform.claude.com, "Handling stop reasons". */
  async function converse(request: ModelRequest, ports: StreamPorts): Promise<StreamedReply> {
    let said = await respond(request, ports);
    for (let pauses = 0; said.paused && pauses < mostPauses; pauses++) {
      const messages = [...request.messages, said.message];
      said = joined(said, await respond({ ...request, messages }, ports));
    }
    const { paused: _, costUsd, ...reply } = said;
    return { ...reply, charged: costUsd };
  }

  async function respond(request: ModelRequest, { signal, onPiece, onText }: StreamPorts): Promise<Said> {
    const turn = request.messages.filter((message) => message.role === "assistant").length;
    const reply = anthropicReply({ who, turn, ...(onText === undefined ? {} : { onText }) });
    const { data, request_id, sent } = await open(request, signal);
    for await (const event of data) {
      onPiece();
      reply.take(event);
      if (reply.full) break;
    }
    // An aborted stream ends without an error.
    signal.throwIfAborted();
    const { served, ...said } = reply.finish();
    return {
      ...said,
      costUsd: said.usage === undefined ? null : costOf(said.usage, price),
      sent,
      served: { ...served, ...(request_id == null ? {} : { requestId: request_id }) },
    };
  }

  /**
   * What Forge adds by itself and the server refuses is left out from then on. A server that does not know the SDK's version of the API is asked in the older
   * one, which the provider still takes.
   */
  async function open(request: ModelRequest, signal: AbortSignal) {
    for (;;) {
      const without = new Set(refusals.dropped(who));
      const body = anthropicRequest(o.name, request, row, o.extra, without);
      const isOld = without.has(newVersion);
      try {
        const answer = await send(body, signal, isOld ? { "anthropic-version": oldVersion } : {});
        return { ...answer, sent: sentOf(body, without) };
      } catch (error) {
        if (!(error instanceof errors.APIError)) throw error;
        if (!isOld && isVersionRefusal.test(error.message)) refusals.drop(who, newVersion, error.message);
        else leaveOut(error, body, request);
      }
    }
  }

  /** @throws the error, where it refuses something else than what Forge added */
  function leaveOut(error: Error, body: ReturnType<typeof anthropicRequest>, request: ModelRequest): void {
    const { status, error: answer } = error as { status?: number; error?: unknown }; // fields of each SDK's APIError
    const said = saying(answer) ?? error.message;
    const refused = status === 400 || status === 422 ? refusedOptional(body, said, new Set(refusals.dropped(who))) : undefined;
    if (refused === undefined || isConfigured(refused, request)) throw error;
    const setBy = refused === "cache_control" || request.params.effort !== o.effort ? undefined : o.effortFrom;
    refusals.drop(who, refused, said, setBy === undefined ? undefined : `model.effort (${setBy}) sets`);
  }
  // As on OpenAI's wire: two arms would silently be one.
  const isConfigured = (name: string, { params }: ModelRequest): boolean =>
    (o.extra !== undefined && Object.hasOwn(o.extra, name.split(".")[0] ?? "")) ||
    (/^(thinking|output_config)$/.test(name) && row !== undefined && params.effort === o.effort && o.effort !== undefined);

  // `messages.create` would print its notes on deprecated models to the terminal.
  const send = (body: object, signal: AbortSignal, headers: Record<string, string> = {}) =>
    client.post<AsyncIterable<unknown>>("/v1/messages", { body, stream: true, signal, headers }).withResponse();

  return {
    identity,
    call: streamedCall(o, {
      price,
      stream: converse,
      explain: (error) => toModelError(explain?.(error) ?? error, { who, sdk: errors, now: o.clock.now(), effortFrom: o.effortFrom }),
    }),
  };
}
