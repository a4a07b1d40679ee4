import type { AssistantPart, Part, ToolSchema } from "../../../harness/contract/messages.ts";
import { text } from "../../../harness/contract/messages.ts";
import { isObject, type Json, type JsonObject } from "../../../harness/json.ts";
import { readArguments } from "../../../harness/models/reply-caps.ts";

/** Fields of a body that any client may have sent. */
export const wordOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");
export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** Arguments as they were written; what is no object is kept as text under one key. */
export function argsOf(given: Json | undefined): JsonObject {
  if (given === undefined || given === "") return {};
  const read = readArguments(given);
  return "args" in read ? read.args : { unreadable: typeof given === "string" ? given : JSON.stringify(given) };
}

/** A content as parts: text, images as data, and anything else as its JSON, so that nothing an agent sent is lost from the record. */
export function partsOf(content: Json | undefined): Part[] {
  if (typeof content === "string") return [text(content)];
  return listOf(content).map(partOf);
}

function partOf(value: Json): Part {
  if (typeof value === "string") return text(value);
  const block = objectOf(value);
  if (typeof block["text"] === "string") return text(block["text"]);
  const url = wordOf(block["image_url"]) || wordOf(objectOf(block["image_url"])["url"]);
  const [, mediaType, data] = /^data:([\w/.+-]+);base64,(.*)$/s.exec(url) ?? [];
  if (mediaType !== undefined && data !== undefined) return { type: "image", mediaType, data };
  const source = objectOf(block["source"]);
  if (block["type"] === "image" && typeof source["data"] === "string")
    return { type: "image", mediaType: wordOf(source["media_type"]) || "image/png", data: source["data"] };
  const { cache_control: _, ...plain } = block;
  return text(JSON.stringify(isObject(value) ? plain : value));
}

/** A reasoning part that is kept whole, for the record alone. */
export const opaque = (block: JsonObject, said: string): AssistantPart => ({ type: "thinking", text: said, opaque: block });

export const toolOf = (name: Json | undefined, description: Json | undefined, parameters: Json | undefined): ToolSchema => ({
  name: wordOf(name),
  description: wordOf(description),
  parameters: objectOf(parameters),
});

/** A result names its tool by the call that it belongs to. */
export function createNames(): { called(id: string, name: string): void; of(id: string): string } {
  const names = new Map<string, string>();
  return { called: (id, name) => void names.set(id, name), of: (id) => names.get(id) ?? "" };
}

/** What of a body is no message, prompt or tool; a long value by its JSON's length alone. */
export function fieldsOf(body: JsonObject, taken: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(body).flatMap(([key, value]) => {
      if (taken.includes(key)) return [];
      const length = JSON.stringify(value).length;
      return [[key, length > longestField ? `${length} characters` : value]];
    }),
  );
}
const longestField = 2_000;

/** How long an answer may be where a request does not say. */
const defaultLength = 16_384;

export const lengthOf = (...given: (Json | undefined)[]): number =>
  given.find((value): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 1) ?? defaultLength;

/** Sampling that a request sets, as far as Forge has a word for it. */
export const samplingOf = (body: JsonObject): { temperature?: number; topP?: number } => ({
  ...(typeof body["temperature"] === "number" ? { temperature: body["temperature"] } : {}),
  ...(typeof body["top_p"] === "number" ? { topP: body["top_p"] } : {}),
});
