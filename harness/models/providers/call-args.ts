import type { AssistantMessage, AssistantPart, ToolCall, ToolSchema } from "../../contract/messages.ts";
import type { Json, JsonObject } from "../../json.ts";
import { readArguments, replyCaps } from "../reply-caps.ts";

/** A tool call's arguments as a model wrote them. What is no JSON object, or more than is read, is an error the model can act on, not an exception. */
export function parseCallArgs(name: string, given: Json): { readonly args: JsonObject; readonly error?: string } {
  if (typeof given === "string" && given.trim() === "") return { args: {} };
  const read = readArguments(given);
  if ("args" in read) return read;
  const errors = {
    syntax: `The arguments of ${name} are not valid JSON (${read.why}). Nothing was run. Send the call again with valid JSON.`,
    shape: `The arguments of ${name} ${read.why}. Nothing was run. Send the call again.`,
    cap: `The arguments of ${name} ${read.why}. Nothing was run. Send a smaller call, or several.`,
  };
  return { args: {}, error: errors[read.kind] };
}

/** A call as a wire gives it, each field whatever the server made of it. */
export interface GivenCall {
  readonly id: unknown;
  readonly name: string;
  readonly given: Json;
}

/** The calls of a reply. Those behind the most that are read are answered together, in the place of the first of them. */
export function callsFrom(all: readonly GivenCall[], turn: number): ToolCall[] {
  const read = all.slice(0, replyCaps.calls + 1);
  const ids = distinctIds(
    read.map((call) => call.id),
    turn,
  );
  return read.map((call, index) => {
    const id = ids[index] ?? "";
    const name = call.name.slice(0, longestName);
    if (index < replyCaps.calls) return { id, name, ...parseCallArgs(name, call.given) };
    const error = `A reply holds at most ${replyCaps.calls} calls. This one and those behind it were not run. Send them in later replies.`;
    return { id, name, args: {}, error };
  });
}

/** Characters of a tool's name, and of a call's id, that are kept. */
const longestName = 256;

/** Ids a conversation can rest on: servers that send none, the same one twice, or no text get `call-<turn>-<index>`. */
function distinctIds(ids: readonly unknown[], turn: number): string[] {
  const taken = new Set<string>();
  return ids.map((id, index) => {
    const usable = typeof id === "string" && id !== "" && id.length <= longestName && !taken.has(id);
    const own = usable ? id : unusedId(`call-${turn}-${index}`, taken);
    taken.add(own);
    return own;
  });
}

/** A server may have used the very id that is made here. */
function unusedId(id: string, taken: ReadonlySet<string>): string {
  return taken.has(id) ? unusedId(`${id}x`, taken) : id;
}

/** Calls of tools that are not there keep a name that a provider takes back: it refuses a whole conversation for one bad name. */
export function callNames(tools: readonly ToolSchema[]): (name: string) => string {
  const known = new Set(tools.map(({ name }) => name));
  return (name) => (known.has(name) ? name : name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed");
}

/** What is kept of a reply that went on past what is read: the beginning of its words and its calls. */
export function keptOf(message: AssistantMessage): AssistantMessage {
  const content = message.content.flatMap((part): AssistantPart[] => {
    if (part.type === "thinking") return [];
    return [part.type === "text" ? { ...part, text: part.text.slice(0, replyCaps.keptChars) } : part];
  });
  return { ...message, content };
}
