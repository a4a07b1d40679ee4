import type { ModelReply, Usage } from "../../contract/messages.ts";
import type { ModelError } from "../../contract/model-error.ts";
import type { Price } from "../../contract/model-row.ts";
import type { Model, ModelRequest } from "../../contract/ports.ts";
import { estimateUsage } from "../prices/estimate-usage.ts";
import { costOf } from "../prices/price-of-call.ts";
import { defaultIdleMs, type ProviderOptions } from "./provider-options.ts";
import { stallWatch } from "./stall-watch.ts";

/** A reply as a wire reads it: what the server left out is filled in by `streamedCall`. */
export interface StreamedReply extends Omit<ModelReply, "usage" | "costUsd"> {
  /** undefined where the server did not say. */
  readonly usage: Usage | undefined;
  /** USD, where the wire knows it better than the price and the tokens of the whole do. */
  readonly charged?: number | null | undefined;
  readonly requestId?: string;
}

export interface StreamPorts {
  readonly signal: AbortSignal;
  /** Hears of each piece that arrives: a stream without any for too long is ended. */
  readonly onPiece: () => void;
  readonly onText?: ((delta: string) => void) | undefined;
}

/** One try at a call, the same for every wire: it is timed in milliseconds of the clock, ended when the server goes silent, and fails as a `ModelError`. */
export function streamedCall(
  o: ProviderOptions,
  wire: {
    readonly price: Price | undefined;
    readonly stream: (request: ModelRequest, ports: StreamPorts) => Promise<StreamedReply>;
    readonly explain: (error: unknown) => ModelError;
  },
): Model["call"] {
  const idleMs = o.idleMs ?? defaultIdleMs;
  const who = `${o.provider}/${o.name}`;
  return async (request, { signal, onText, onStage }) => {
    const before = o.clock.now();
    signal.throwIfAborted();
    onStage?.("sent");
    const watch = stallWatch({ clock: o.clock, idleMs, signal, who });
    const onPiece = (): void => {
      watch.alive();
      onStage?.("answering");
    };
    try {
      const { usage, charged, served, requestId, ...said } = await wire.stream(request, { signal: watch.signal, onPiece, onText });
      watch.signal.throwIfAborted(); // an aborted stream ends without an error
      return {
        ...said,
        usage: usage ?? estimateUsage(request, said.message),
        costUsd: charged ?? (usage === undefined ? null : costOf(usage, wire.price)),
        served: { ...served, ...(requestId === undefined ? {} : { requestId }) },
        activeMs: o.clock.now() - before,
      };
    } catch (error) {
      signal.throwIfAborted();
      throw wire.explain(watch.signal.aborted ? watch.signal.reason : error);
    } finally {
      watch.stop();
    }
  };
}
