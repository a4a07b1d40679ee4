import OpenAI from "openai";
import { ModelError } from "../../../contract/model-error.ts";
import type { Model, ModelRequest } from "../../../contract/ports.ts";
import { rowOf } from "../../families/find-row.ts";
import { toModelError } from "../../retry/to-model-error.ts";
import { openAiClient } from "../clients/openai-client.ts";
import { providerIdentity } from "../provider-identity.ts";
import type { ProviderOptions } from "../provider-options.ts";
import { responsesReply, type ResponsesReply } from "./responses-reply.ts";
import { responsesRequest, sentOf } from "./responses-request.ts";
import { type StreamedReply, type StreamPorts, streamedCall } from "../streamed-call.ts";

/**
 * A model behind OpenAI's Responses API, or a server that speaks it: the only API that carries tool calls together with the reasoning of OpenAI's newer
 * models. Nothing is stored at the provider. Native tool calls; always streams; one try a call.
 */
export function createResponsesModel(o: ProviderOptions, client: OpenAI = openAiClient(o)): Model {
  const who = `${o.provider}/${o.name}`;
  const { identity, price } = providerIdentity(o);
  const row = rowOf(who, o.row);

  async function stream(request: ModelRequest, { signal, onPiece, onText }: StreamPorts): Promise<StreamedReply> {
    const turn = request.messages.filter((message) => message.role === "assistant").length;
    const reply = responsesReply({ who, turn, ...(onText === undefined ? {} : { onText }) });
    const body = responsesRequest(who, o.name, request, row, o.extra);
    const { data, response, request_id } = await client.responses.create(body, { signal }).withResponse();
    if ((response.headers.get("content-type") ?? "").includes("application/json")) {
      reply.take(await response.json()); // a server that does not stream
    } else {
      for await (const event of data) {
        onPiece();
        reply.take(event);
        if (reply.full) break;
      }
    }
    signal.throwIfAborted(); // before the end of an aborted stream is taken for a reply that broke off
    const finished = reply.finish();
    noteRemoved(finished);
    return { ...finished, sent: sentOf(body), ...(request_id == null ? {} : { requestId: request_id }) };
  }

  function noteRemoved({ served: { removed = [] } }: ResponsesReply): void {
    const reasons = [...new Set(removed.map(({ reason }) => reason))].join(", ");
    if (reasons !== "")
      o.refusals?.note(
        `${who} left earlier reasoning out of its context (${reasons}); later requests leave it out, and each reply records what was left out.`,
      );
  }

  /** A gateway may know the model and not this API. */
  function chatAlone(error: ModelError): ModelError {
    if (error.kind !== "not_found" || o.baseUrl === undefined) return error;
    const cure = `Where the server has Chat Completions alone, set wire: chat for ${who} under models.`;
    return new ModelError("not_found", `${error.message} ${cure}`, { status: error.status });
  }

  const explain = (error: unknown): ModelError =>
    chatAlone(toModelError(error, { who, sdk: OpenAI, now: o.clock.now(), effortFrom: o.effortFrom }));
  return { identity, call: streamedCall(o, { price, stream, explain }) };
}
