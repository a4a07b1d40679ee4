import type { JsonObject } from "../../../harness/json.ts";
import { conversationsOf } from "../conversations.ts";
import type { ExportedEvent, ExportedRun } from "../exported-run.ts";
import { isObject } from "../../../harness/json.ts";
import { attributes, type Attribute } from "./attributes.ts";
import { agentSpans } from "./agent-spans.ts";
import type { Span } from "./span.ts";

/** What an OTLP receiver takes at `/v1/traces`, in the JSON mapping of the protocol. */
export interface OtlpTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string };
      readonly spans: readonly Span[];
    }[];
  }[];
}

/**
 * A run as OTLP spans with attributes of OpenTelemetry's GenAI conventions: `invoke_agent` for the run and each subagent, below it `chat` for each request
 * and `execute_tool` for each call. Ids are hashes of the run's id and the event's number, so that the same run always has the same ones. An input holds
 * the messages that the request added: all of them in each would make a long run's spans grow with its square.
 */
export function otlpOfRun(run: ExportedRun): OtlpTraces {
  const start = run.events[0]?.d ?? {};
  const meta = isObject(start["meta"]) ? (start["meta"] as JsonObject) : {}; // recorded data is JSON
  const version = typeof meta["forgeVersion"] === "string" ? meta["forgeVersion"] : "unknown";
  const resource = attributes({ "service.name": "forge", "service.version": version, "forge.run.id": run.id });
  const byReference = new Map(run.events.map((event) => [`${event.lane}#${event.n}`, event]));
  const eventAt = (reference: string): ExportedEvent | undefined => byReference.get(reference);
  const spans = agentSpans(conversationsOf(run.events), { run, eventAt, parent: undefined });
  return { resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope: { name: "forge", version }, spans }] }] };
}
