import OpenAI from "openai";
import type { Model, ModelRequest } from "../../contract/ports.ts";
import { isObject } from "../../json.ts";
import { type StreamedReply, type StreamPorts, streamedCall } from "./streamed-call.ts";
import { toModelError } from "../retry/to-model-error.ts";
import { openAiClient } from "./clients/openai-client.ts";
import { openAiReply } from "./openai-reply.ts";
import { rowOf } from "../families/find-row.ts";
import { createRefusalMemory } from "../retry/refusal-memory.ts";
import { type Dialect, openAiRequest, refusedOptional, sentOf } from "./openai-request.ts";
import { providerIdentity } from "./provider-identity.ts";
import type { ProviderOptions } from "./provider-options.ts";

/**
 * A model behind OpenAI's chat completions, or any server that speaks them (OpenRouter, Ollama, llama.cpp, vLLM, LM Studio). Native tool
 * calls; always streams; one try a call, but for an optional parameter that the server refuses: that one is left out from then on.
 */
export function createOpenAiModel(o: ProviderOptions, client: OpenAI = openAiClient(o)): Model {
  const who = `${o.provider}/${o.name}`;
  const { identity, price } = providerIdentity(o);
  // OpenAI's own reasoning models refuse `max_tokens`, behind a gateway too; older compatible servers ignore any other name.
  const isOpenAi = o.provider === "azure" || (o.provider === "openai" && (o.baseUrl === undefined || /^(o\d|gpt-[5-9])/.test(o.name)));
  const row = rowOf(who, o.row);
  const refusals = o.refusals ?? createRefusalMemory();
  const dialect = (): Dialect => {
    const without = new Set(refusals.dropped(who));
    const [first, second] = isOpenAi
      ? (["max_completion_tokens", "max_tokens"] as const)
      : (["max_tokens", "max_completion_tokens"] as const);
    return { row, without, takesSeed: o.refusesSeed !== true, lengthKey: without.has(first) && !without.has(second) ? second : first };
  };

  async function stream(request: ModelRequest, { signal, onPiece, onText }: StreamPorts): Promise<StreamedReply> {
    const turn = request.messages.filter((message) => message.role === "assistant").length;
    const reply = openAiReply({ who, turn, ...(onText === undefined ? {} : { onText }) });
    const { data, response, request_id } = await open(request, signal);
    const type = response.headers.get("content-type") ?? "";
    if (type.includes("application/json")) {
      // A server that does not stream answers in one piece, and one that failed after its status may say so there.
      const whole: unknown = await response.json();
      if (isObject(whole) && isObject(whole["error"]) && whole["choices"] === undefined)
        throw new OpenAI.APIError(undefined, whole["error"], undefined, response.headers);
      reply.take(whole);
    } else {
      for await (const chunk of data) {
        onPiece();
        reply.take(chunk);
        if (reply.full) break;
      }
    }
    const sent = sentOf(dialect(), request);
    return { ...reply.finish(), sent, ...(request_id == null ? {} : { requestId: request_id }) };
  }

  async function open(request: ModelRequest, signal: AbortSignal): ReturnType<typeof send> {
    for (;;) {
      const tried = dialect();
      try {
        return await send(request, tried, signal);
      } catch (error) {
        if (!(error instanceof OpenAI.APIError) || (error.status !== 400 && error.status !== 422)) throw error;
        const refused = refusedOptional(tried, `${error.message} ${error.param ?? ""}`);
        if (refused === undefined || isConfigured(refused, request)) throw error;
        const setBy = refused === "reasoning_effort" && request.params.effort === o.effort ? o.effortFrom : undefined;
        refusals.drop(who, refused, error.message, setBy === undefined ? undefined : `model.effort (${setBy}) sets`);
      }
    }
  }
  // What a configuration sets is never left out of a request to a known model: two arms would silently be one.
  const isConfigured = (name: string, { params }: ModelRequest): boolean =>
    (o.extra !== undefined && Object.hasOwn(o.extra, name)) ||
    (name === "reasoning_effort" && row !== undefined && params.effort === o.effort && o.effort !== undefined);
  const send = (request: ModelRequest, as: Dialect, signal: AbortSignal) =>
    client.chat.completions.create(openAiRequest(o.name, request, as, o.extra), { signal }).withResponse();

  const explain = (error: unknown) => toModelError(error, { who, sdk: OpenAI, now: o.clock.now(), effortFrom: o.effortFrom });
  return { identity, call: streamedCall(o, { price, stream, explain }) };
}
