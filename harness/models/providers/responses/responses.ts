import OpenAI from "openai";
import { ModelError } from "../../../contract/model-error.ts";
import type { Model, ModelRequest } from "../../../contract/ports.ts";
import { rowOf } from "../../families/find-row.ts";
import { estimateUsage } from "../../prices/estimate-usage.ts";
import { costOf } from "../../prices/price-of-call.ts";
import { toModelError } from "../../retry/to-model-error.ts";
import { openAiClient } from "../clients/openai-client.ts";
import { providerIdentity } from "../provider-identity.ts";
import { defaultIdleMs, type ProviderOptions } from "../provider-options.ts";
import { responsesReply, type ResponsesReply } from "./responses-reply.ts";
import { responsesRequest, sentOf } from "./responses-request.ts";
import { stallWatch } from "../stall-watch.ts";
import { timed } from "../timed.ts";

/**
 * A model behind OpenAI's Responses API, or a server that speaks it: the only API that carries tool calls together with the reasoning of OpenAI's newer
 * models. Nothing is stored at the provider. Native tool calls; always streams; one try a call.
 */
export function createResponsesModel(o: ProviderOptions, client: OpenAI = openAiClient(o)): Model {
  const idleMs = o.idleMs ?? defaultIdleMs;
  const who = `${o.provider}/${o.name}`;
  const { identity, price } = providerIdentity(o);
  const row = rowOf(who, o.row);

  async function stream(
    request: ModelRequest,
    signal: AbortSignal,
    onPiece: () => void,
    onText?: (delta: string) => void,
  ): Promise<ResponsesReply & { requestId?: string }> {
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
    signal.throwIfAborted(); // an aborted stream ends without an error
    return { ...reply.finish(), sent: sentOf(body), ...(request_id == null ? {} : { requestId: request_id }) };
  }

  function noteRemoved({ served: { removed = [] } }: ResponsesReply): void {
    const reasons = [...new Set(removed.map(({ reason }) => reason))].join(", ");
    if (reasons !== "")
      o.refusals?.note(
        `${who} left earlier reasoning out of its context (${reasons}); the requests go on without it, and each reply records what was left out.`,
      );
  }

  /** A gateway may know the model and not this API. */
  function chatAlone(error: ModelError): ModelError {
    if (error.kind !== "not_found" || o.baseUrl === undefined) return error;
    const cure = `Where the server speaks Chat Completions alone, set wire: chat for ${who} under models.`;
    return new ModelError("not_found", `${error.message} ${cure}`, { status: error.status });
  }

  return {
    identity,
    call: (request, { signal, onText, onStage }) =>
      timed(o.clock, async () => {
        signal.throwIfAborted();
        onStage?.("sent");
        const watch = stallWatch({ clock: o.clock, idleMs, signal, who });
        const onPiece = (): void => {
          watch.alive();
          onStage?.("answering");
        };
        try {
          const reply = await stream(request, watch.signal, onPiece, onText);
          noteRemoved(reply);
          const { usage, served, requestId, ...said } = reply;
          return {
            ...said,
            usage: usage ?? estimateUsage(request, said.message),
            costUsd: usage === undefined ? null : costOf(usage, price),
            served: { ...served, ...(requestId === undefined ? {} : { requestId }) },
          };
        } catch (error) {
          signal.throwIfAborted();
          const failure = watch.signal.aborted ? watch.signal.reason : error;
          throw chatAlone(toModelError(failure, { who, sdk: OpenAI, now: o.clock.now(), effortFrom: o.effortFrom }));
        } finally {
          watch.stop();
        }
      }),
  };
}
