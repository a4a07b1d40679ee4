import { setImmediate as turn } from "node:timers/promises";
import type { AssistantPart, ModelReply, ToolCall, Usage } from "../../contract/messages.ts";
import type { Model, ModelIdentity, ModelPlace, ModelRequest } from "../../contract/ports.ts";
import type { JsonObject } from "../../json.ts";
import { ModelError } from "../../contract/model-error.ts";
import { knownOptions } from "../../known-options.ts";

/** One reply of a scripted model. With neither text nor calls it is an empty reply. */
export interface ScriptedReply {
  readonly text?: string;
  /** `id` is made up from the place where it is left out. */
  readonly calls?: readonly { readonly name: string; readonly args: JsonObject; readonly id?: string; readonly error?: string }[];
  readonly usage?: Partial<Usage>;
  /** Default: `calls` when there are calls, else `end`. */
  readonly stop?: ModelReply["stop"];
  readonly costUsd?: number | null;
  readonly activeMs?: number;
  /** Thrown at every try in place of a reply. */
  readonly error?: Error;
  /** `failures[n]` is thrown at try n; the first try beyond them gets the reply. */
  readonly failures?: readonly Error[];
}

/** What is played: a list, read by the request's ordinal in its lane, or a function of request and place. */
export type Script = readonly ScriptedReply[] | ((request: ModelRequest, place: ModelPlace) => ScriptedReply);

export interface ScriptedOptions {
  /** Default `script`. */
  readonly name?: string;
  /** With `text` and `grammar` the calls are named in the reply alone, not as parts of the message. */
  readonly protocol?: ModelIdentity["protocol"];
  /** Scripts of other lanes than the main one (subagents, side calls), by the lane's name. A lane not named plays `script` from its start. */
  readonly lanes?: Readonly<Record<string, Script>>;
  readonly identity?: Partial<ModelIdentity>;
}

/**
 * A model that plays a script: for tests, and for agents that need no model. It replies by place alone, so a run with it is the same
 * each time. A request beyond the script's end throws `ModelError` `invalid`, which no retry repeats.
 */
export function createScriptedModel(script: Script, o: ScriptedOptions = {}): Model {
  knownOptions("createScriptedModel", o, { name: true, protocol: true, lanes: true, identity: true });
  const protocol = o.protocol ?? "native";
  const identity: ModelIdentity = { provider: "scripted", name: o.name ?? "script", protocol, priceTable: "free", ...o.identity };
  return {
    identity,
    async call(request, { place, signal, onText }) {
      await turn(); // as from a real one, no answer comes in the turn of its question
      signal.throwIfAborted();
      const reply = replyAt(o.lanes?.[place.lane] ?? script, request, place);
      const failure = reply.error ?? reply.failures?.[place.attempt];
      if (failure) throw failure;
      if (reply.text) onText?.(reply.text);
      const calls = (reply.calls ?? []).map(({ id, ...call }, i): ToolCall => ({ id: id ?? `call_${place.ordinal}_${i + 1}`, ...call }));
      return {
        message: { role: "assistant", content: [...textPart(reply.text), ...(identity.protocol === "native" ? calls.map(callPart) : [])] },
        calls,
        usage: { input: 0, output: 0, cached: 0, ...reply.usage },
        stop: reply.stop ?? (calls.length > 0 ? "calls" : "end"),
        costUsd: reply.costUsd === undefined ? 0 : reply.costUsd,
        activeMs: reply.activeMs ?? 0,
      };
    },
  };
}

function replyAt(script: Script, request: ModelRequest, place: ModelPlace): ScriptedReply {
  if (typeof script === "function") return script(request, place);
  const reply = script[place.ordinal];
  if (reply) return reply;
  throw new ModelError(
    "invalid",
    `The script of lane ${place.lane} has ${script.length} replies, and reply ${place.ordinal + 1} was requested: add one, or end the run sooner.`,
  );
}

const textPart = (said: string | undefined): AssistantPart[] => (said ? [{ type: "text", text: said }] : []);
const callPart = ({ id, name, args }: ToolCall): AssistantPart => ({ type: "call", id, name, args });
