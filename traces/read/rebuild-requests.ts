import { plural } from "../../harness/text/figures.ts";
import type { Message, Section, ToolSchema } from "../../harness/contract/messages.ts";
import { componentHash, emptyRoot, nextRoot, requestHash } from "../../harness/agent/record/request-hash.ts";
import { DamagedError } from "../../harness/errors.ts";
import type { EventData, RunEvent } from "../../harness/events/schema.ts";
import type { JsonObject } from "../../harness/json.ts";

/** A model request put together again from its references. */
export interface RebuiltRequest {
  readonly params: JsonObject;
  readonly system: readonly Section[];
  readonly tools: readonly ToolSchema[];
  readonly messages: readonly Message[];
}

interface LaneState {
  system: readonly Section[];
  tools: readonly ToolSchema[];
  /** Only ever added to, and shared by all requests that go on from each other: copying what each keeps would take the square of their number. */
  messages: Message[];
  roots: string[];
  hashes: { system: string; tools: string };
}

/** Feeds on a run's events in order and rebuilds each request. `add` answers the request of a `model.request` event and throws `DamagedError` where it does not fit its hashes. */
export function createRequestRebuilder(): { add(event: RunEvent): RebuiltRequest | undefined } {
  const lanes = new Map<string, LaneState>();
  const spoken = new Map<string, Message>();

  const add = (event: RunEvent): RebuiltRequest | undefined => {
    const ref = `${event.lane}#${event.n}`;
    const said = messageOf(event);
    if (said) spoken.set(ref, said);
    if (event.t !== "model.request") return undefined;
    const d = event.d as unknown as EventData<"model.request">; // the line was checked against the event's schema or hash
    const bad = (what: string): DamagedError => new DamagedError(`The request ${ref} cannot be rebuilt: ${what}.`);
    const before = lanes.get(event.lane);
    if (d.keep > (before?.messages.length ?? 0)) throw bad(`it keeps ${plural(d.keep, "message")} of ${before?.messages.length ?? 0}`);
    const added = d.add.map((entry, i): Message => {
      if ("message" in entry) {
        const message = entry.message as unknown as Message; // as above
        spoken.set(`${ref}+${i}`, message);
        return message;
      }
      const message = spoken.get(String(entry["ref"]));
      if (!message) throw bad(`no message is at ${String(entry["ref"])}`);
      return message;
    });
    const goesOn = before !== undefined && d.keep === before.messages.length;
    const roots = goesOn ? before.roots : (before?.roots ?? [emptyRoot]).slice(0, d.keep + 1);
    const messages = goesOn ? before.messages : (before?.messages ?? []).slice(0, d.keep);
    for (const message of added) {
      roots.push(nextRoot(roots.at(-1) ?? emptyRoot, componentHash(message)));
      messages.push(message);
    }
    const system = (d.system as unknown as Section[] | undefined) ?? before?.system;
    const tools = (d.tools as unknown as ToolSchema[] | undefined) ?? before?.tools;
    if (!system || !tools) throw bad("it has no system prompt or no tools");
    const hashes = {
      system: d.system ? componentHash(system) : (before?.hashes.system ?? ""),
      tools: d.tools ? componentHash(tools) : (before?.hashes.tools ?? ""),
    };
    const root = roots.at(-1) ?? emptyRoot;
    if (d.system && hashes.system !== d.systemHash) throw bad("the system prompt does not fit its hash");
    if (d.tools && hashes.tools !== d.toolsHash) throw bad("the tool schemas do not fit their hash");
    if (root !== d.root) throw bad("its messages do not fit their hash");
    const hash = requestHash({ params: d.params, seed: d.seed, systemHash: hashes.system, toolsHash: hashes.tools, root });
    if (hash !== d.hash) throw bad("its parameters do not fit its hash");
    lanes.set(event.lane, { system, tools, messages, roots, hashes });
    const count = messages.length;
    return {
      params: d.params as JsonObject,
      system,
      tools,
      get messages() {
        return messages.slice(0, count);
      },
    };
  };
  return { add };
}

/** The message that an event brings into the conversation, in the very key order in which the loop builds it. */
export function messageOf(event: RunEvent): Message | undefined {
  const d = event.d;
  switch (event.t) {
    case "run.start": {
      const { task, images = [] } = d["input"] as unknown as { task: string; images?: [] };
      return { role: "user", content: [{ type: "text", text: task }, ...images] };
    }
    case "model.response":
      return d["message"] as unknown as Message;
    case "tool.result": {
      const { status, content } = d["reply"] as unknown as { status: "ok"; content: [] };
      return { role: "tool", callId: String(d["callId"]), name: String(d["name"]), status, content };
    }
    case "middleware":
      return typeof d["text"] === "string" ? { role: "user", content: [{ type: "text", text: d["text"] }] } : undefined;
    default:
      return undefined;
  }
}
