import type { Json, JsonObject } from "../../json.ts";
import { deepFreeze } from "../deep-freeze.ts";
import type { Emitter } from "./emitter.ts";
import type { Message } from "../../contract/messages.ts";
import type { ModelRequest } from "../../contract/ports.ts";
import { componentHash, emptyRoot, nextRoot, requestHash } from "./request-hash.ts";

/**
 * Turns requests into `model.request` events that hold each message once: what an earlier event already says is a reference
 * (`lane#n`, or `lane#n+i` for message i that a request brought itself), and what the lane's request before had is only counted.
 */
export interface RequestRecorder {
  /** Says which event a message first stood in. */
  cameFrom(message: Message, ref: string): void;
  /**
   * Emits the event; answers its reference. A list of messages that is the lane's last one itself has only grown since.
   * @param more what else the event has
   */
  record(lane: string, turn: number, request: ModelRequest, more?: JsonObject): string;
}

interface Previous {
  readonly messages: readonly Message[];
  /** `roots[i]` covers the first i messages. */
  readonly roots: string[];
  readonly systemHash: string;
  readonly toolsHash: string;
}

export function createRequestRecorder(emitter: Emitter): RequestRecorder {
  const origins = new WeakMap<Message, string>();
  const hashes = new WeakMap<object, string>();
  const previous = new Map<string, Previous>();

  const hashOf = (value: object): string => {
    let hash = hashes.get(value);
    if (hash === undefined) {
      hash = componentHash(emitter.redacted(deepFreeze(value) as Json)); // messages, sections and schemas are plain JSON
      hashes.set(value, hash);
    }
    return hash;
  };

  return {
    cameFrom(message, ref) {
      origins.set(message, ref);
      hashOf(message); // as it has just been recorded: what is known to be a secret may be more by the time it is sent
    },
    record(lane, turn, request, more = {}) {
      const before = previous.get(lane);
      const systemHash = hashOf(request.system);
      const toolsHash = hashOf(request.tools);
      const roots = before?.roots ?? [emptyRoot]; // the same list as long as the run: a copy would cost more with every step
      const sent = roots.length - 1;
      const keep = before?.messages === request.messages ? sent : commonPrefix(before?.messages ?? [], sent, request.messages, hashOf);
      if (keep < sent) roots.length = keep + 1;
      const added = request.messages.slice(keep);
      for (const message of added) roots.push(nextRoot(roots[roots.length - 1] ?? emptyRoot, hashOf(message)));
      const root = roots[roots.length - 1] ?? emptyRoot;
      const hash = requestHash({ params: request.params, seed: request.seed, systemHash, toolsHash, root });
      const add = added.map((message) => {
        const ref = origins.get(message);
        return ref === undefined ? { message } : { ref };
      });
      const ref = emitter.emit("model.request", lane, {
        turn,
        params: request.params,
        seed: request.seed,
        ...(before?.systemHash === systemHash ? {} : { systemHash, system: request.system }),
        ...(before?.toolsHash === toolsHash ? {} : { toolsHash, tools: request.tools }),
        keep,
        add,
        root,
        hash,
        ...more,
      });
      added.forEach((message, i) => {
        if (!origins.has(message)) origins.set(message, `${ref}+${i}`);
      });
      previous.set(lane, { messages: request.messages, roots, systemHash, toolsHash });
      return ref;
    },
  };
}

/** @param sent how many of `a` the last request had: the list may have grown since */
function commonPrefix(a: readonly Message[], sent: number, b: readonly Message[], hashOf: (message: Message) => string): number {
  const end = Math.min(sent, b.length);
  for (let i = 0; i < end; i++) {
    const left = a[i];
    const right = b[i];
    if (left !== right && left && right && hashOf(left) !== hashOf(right)) return i;
  }
  return end;
}
