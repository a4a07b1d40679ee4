import type OpenAI from "openai";
import { type AssistantMessage, type AssistantPart, type Part, type ToolMessage, textOf } from "../../../contract/messages.ts";
import { ModelError } from "../../../contract/model-error.ts";
import type { ModelRow } from "../../../contract/model-row.ts";
import type { ModelRequest } from "../../../contract/ports.ts";
import { sha256 } from "../../../hash/sha256.ts";
import { isObject, type Json, type JsonObject } from "../../../json.ts";
import { callNames } from "../call-args.ts";
import { openAiEffort } from "../effort.ts";

type Item = OpenAI.Responses.ResponseInputItem;
type Content = OpenAI.Responses.ResponseInputText | OpenAI.Responses.ResponseInputImage;
type Body = OpenAI.Responses.ResponseCreateParamsStreaming;

/**
 * The body of `POST /v1/responses`: stateless, so that a run holds all that it needs. Every item of the conversation goes back whole and in order, and the
 * system prompt is its first message: `instructions` come after the input, and newer models drop reasoning whose earlier input changed
 * (developers.openai.com, "Reasoning" and "Keep prefix unchanged"). Throws `ModelError` of kind `parameter` for sampling that the model does not take.
 * @param who the model as people name it: only what it made itself goes back as its own
 */
export function responsesRequest(
  who: string,
  model: string,
  request: ModelRequest,
  row: ModelRow | undefined,
  extra: JsonObject = {},
): Body {
  const { params } = request;
  const effort = params.effort === undefined ? undefined : openAiEffort(row, params.effort);
  refuseSampling(who, request, row, effort);
  const reasoning = { ...(isObject(extra["reasoning"]) ? extra["reasoning"] : {}), ...(effort === undefined ? {} : { effort }) };
  const body = {
    ...extra,
    model,
    stream: true as const,
    store: false,
    include: ["reasoning.encrypted_content"],
    max_output_tokens: params.maxOutputTokens,
    ...(params.temperature === undefined ? {} : { temperature: params.temperature }),
    ...(params.topP === undefined ? {} : { top_p: params.topP }),
    ...(Object.keys(reasoning).length === 0 ? {} : { reasoning }),
    ...(request.tools.length === 0
      ? {}
      : // Left out, `strict` would make the API change the schemas.
        { tools: request.tools.map(({ name, description, parameters }) => ({ type: "function" as const, name, description, parameters, strict: false })) }), // prettier-ignore
    input: inputOf(who, request),
  };
  // The SDK's list of effort values ends where its version does; the table's goes on.
  return body as Body;
}

/** What a request holds of what wires write in their own way, for the record. */
export const sentOf = ({ max_output_tokens, reasoning }: Body): JsonObject =>
  ({ wire: "responses", max_output_tokens, ...(reasoning == null ? {} : { reasoning: { ...reasoning } }) }) as JsonObject; // plain JSON by the SDK's types

function refuseSampling(who: string, { params }: ModelRequest, row: ModelRow | undefined, effort: string | undefined): void {
  const sampling = (["temperature", "topP"] as const).find((name) => params[name] !== undefined);
  const inForce = effort ?? row?.defaultEffort ?? "none";
  const taken = row?.sampling !== "never" && (row?.sampling !== "without reasoning" || inForce === "none");
  if (sampling === undefined || taken) return;
  const when = row?.sampling === "never" ? "" : ` with effort ${inForce}`;
  const words = `${who} takes no sampling parameters${when}: take model.${sampling} out of the configuration and of any middleware that sets it, or name a model that takes it.`;
  throw new ModelError("parameter", words);
}

function inputOf(who: string, { system, messages, tools }: ModelRequest): Item[] {
  const nameOf = callNames(tools);
  const stable = system.map((section) => section.text).filter((text) => text !== "");
  const items: Item[] = stable.length === 0 ? [] : [{ type: "message", role: "developer", content: stable.join("\n\n") }];
  for (const message of messages) {
    if (message.role === "assistant") items.push(...itemsOf(message, who, nameOf));
    else if (message.role === "user") items.push({ type: "message", role: "user", content: contentOf(message.content) });
    else items.push({ type: "function_call_output", call_id: plainId(message.callId), output: outputOf(message) });
  }
  return items;
}

function itemsOf({ content }: AssistantMessage, who: string, nameOf: (name: string) => string): Item[] {
  const items: Item[] = [];
  for (const [index, part] of content.entries()) {
    const own = ownItem(part.opaque, who);
    if (part.type === "text") addText(items, part.text, own);
    else if (part.type === "call") items.push(callOf(part, own, nameOf));
    // Reasoning is refused without what it led to; a reply that was cut may end with it.
    else if (own !== undefined && content.slice(index + 1).some(isSaid)) items.push(own as unknown as Item); // as the server sent it
  }
  return items;
}

const isSaid = (part: AssistantPart): boolean => part.type === "call" || (part.type === "text" && part.text !== "");

/** Parts of one message, which a server may have sent in several, go back as one. */
function addText(items: Item[], text: string, own: JsonObject | undefined): void {
  if (text === "") return;
  if (own === undefined) return void items.push({ type: "message", role: "assistant", content: text });
  const { refusal, ...shape } = own;
  const part = refusal === true ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [] };
  const last = items.at(-1) as { id?: unknown; content?: unknown[] } | undefined; // of this function's own making, where the id is the same
  if (last !== undefined && shape["id"] !== undefined && last.id === shape["id"]) last.content?.push(part);
  else items.push({ role: "assistant", ...shape, content: [part] } as unknown as Item); // as the server sent it
}

function callOf(
  { id, name, args, written }: AssistantPart & { type: "call" },
  own: JsonObject | undefined,
  nameOf: (name: string) => string,
): Item {
  const call = { type: "function_call" as const, call_id: plainId(id), name: nameOf(name), arguments: written ?? JSON.stringify(args) };
  return { ...own, ...call };
}

/** What this model made over this wire. */
function ownItem(opaque: Json | undefined, who: string): JsonObject | undefined {
  if (!isObject(opaque) || opaque["type"] !== "responses" || opaque["by"] !== who) return undefined;
  return isObject(opaque["item"]) ? opaque["item"] : undefined;
}

function outputOf({ content }: ToolMessage): string | Content[] {
  return content.every((part) => part.type === "text") ? textOf(content) : content.map(contentPart);
}

/** Text alone goes as a string. */
const contentOf = (parts: readonly Part[]): string | Content[] =>
  parts.every((part) => part.type === "text") ? textOf(parts) : parts.map(contentPart);

const contentPart = (part: Part): Content =>
  part.type === "text"
    ? { type: "input_text", text: part.text }
    : { type: "input_image", image_url: `data:${part.mediaType};base64,${part.data}`, detail: "auto" };

/** Ids of another provider may be longer than the 64 characters that this one takes; the same ones become the same. */
const plainId = (id: string): string => (id.length <= 64 ? id : sha256(id));
