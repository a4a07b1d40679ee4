import Anthropic from "@anthropic-ai/sdk";
import type { Model } from "../../contract/ports.ts";
import { estimateUsage } from "../prices/estimate-usage.ts";
import { costOf } from "../prices/price-of-call.ts";
import type { ModelError } from "../../contract/model-error.ts";
import { clientOptions } from "./clients/client-options.ts";
import { stallWatch } from "./stall-watch.ts";
import { timed } from "./timed.ts";
import { type SdkErrors, toModelError } from "../retry/to-model-error.ts";
import { anthropicReply } from "./anthropic-reply.ts";
import { rowOf } from "../families/find-row.ts";
import { anthropicRequest, sentOf } from "./anthropic-request.ts";
import { providerIdentity } from "./provider-identity.ts";
import { defaultIdleMs, type ProviderOptions } from "./provider-options.ts";

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

/** A model behind Anthropic's messages API, or a server or cloud that speaks it. Native tool calls; always streams; one try a call. */
export function createAnthropicModel(o: ProviderOptions, { client, errors, explain }: MessagesClient = connectAnthropic(o)): Model {
  const idleMs = o.idleMs ?? defaultIdleMs;
  const who = `${o.provider}/${o.name}`;
  const { identity, price } = providerIdentity(o);
  const row = rowOf(who, o.row);
  return {
    identity,
    call: (request, { signal, onText, onStage }) =>
      timed(o.clock, async () => {
        signal.throwIfAborted();
        onStage?.("sent");
        const watch = stallWatch({ clock: o.clock, idleMs, signal, who });
        try {
          const turn = request.messages.filter((message) => message.role === "assistant").length;
          const reply = anthropicReply({ who, turn, ...(onText === undefined ? {} : { onText }) });
          const body = anthropicRequest(o.name, request, row, o.extra);
          // `messages.create` would print its notes on deprecated models to the terminal.
          const sent = client.post<AsyncIterable<unknown>>("/v1/messages", { body, stream: true, signal: watch.signal });
          const { data, request_id } = await sent.withResponse();
          for await (const event of data) {
            watch.alive();
            onStage?.("answering");
            reply.take(event);
            if (reply.full) break;
          }
          // An aborted stream ends without an error.
          watch.signal.throwIfAborted();
          const { usage, served, ...said } = reply.finish();
          return {
            ...said,
            usage: usage ?? estimateUsage(request, said.message),
            costUsd: usage === undefined ? null : costOf(usage, price),
            sent: sentOf(body),
            served: { ...served, ...(request_id == null ? {} : { requestId: request_id }) },
          };
        } catch (error) {
          signal.throwIfAborted();
          const thrown: unknown = watch.signal.aborted ? watch.signal.reason : error;
          throw toModelError(explain?.(thrown) ?? thrown, {
            who,
            sdk: errors,
            now: o.clock.now(),
            effortFrom: o.effortFrom,
          });
        } finally {
          watch.stop();
        }
      }),
  };
}
