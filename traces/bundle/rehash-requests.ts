import type { Message } from "../../harness/contract/messages.ts";
import { componentHash, emptyRoot, nextRoot, requestHash } from "../../harness/agent/record/request-hash.ts";
import type { EventData, RunEvent } from "../../harness/events/schema.ts";
import type { JsonObject } from "../../harness/json.ts";
import { messageOf } from "../read/rebuild-requests.ts";

interface LaneState {
  readonly roots: readonly string[];
  readonly systemHash: string;
  readonly toolsHash: string;
}

/**
 * Gives the requests of a run whose texts were changed the hashes that they would have been recorded with. Feed it all events in order, changed already; each
 * comes back with its own hashes. The run before was checked by L0, so every reference is there.
 */
export function createRequestRehasher(): (event: RunEvent) => RunEvent {
  const lanes = new Map<string, LaneState>();
  const spoken = new Map<string, string>();
  return (event) => {
    const reference = `${event.lane}#${event.n}`;
    const said = messageOf(event);
    if (said) spoken.set(reference, componentHash(said));
    if (event.t !== "model.request") return event;
    const d = event.d as unknown as EventData<"model.request">; // checked by L0
    const before = lanes.get(event.lane);
    const roots = (before?.roots ?? [emptyRoot]).slice(0, d.keep + 1);
    d.add.forEach((entry, i) => {
      const own = "message" in entry ? componentHash(entry.message as unknown as Message) : undefined; // as above
      if (own !== undefined) spoken.set(`${reference}+${i}`, own);
      roots.push(nextRoot(roots.at(-1) ?? emptyRoot, own ?? spoken.get(String((entry as { ref?: unknown }).ref)) ?? "")); // the other kind of entry
    });
    const root = roots.at(-1) ?? emptyRoot;
    const systemHash = d.system ? componentHash(d.system) : (before?.systemHash ?? "");
    const toolsHash = d.tools ? componentHash(d.tools) : (before?.toolsHash ?? "");
    lanes.set(event.lane, { roots, systemHash, toolsHash });
    const hash = requestHash({ params: d.params, seed: d.seed, systemHash, toolsHash, root });
    const hashes = { ...(d.system ? { systemHash } : {}), ...(d.tools ? { toolsHash } : {}), root, hash };
    return { ...event, d: { ...event.d, ...hashes } as JsonObject };
  };
}
