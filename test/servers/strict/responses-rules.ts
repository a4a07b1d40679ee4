import { familyOf } from "./openai-families.ts";
import type { Item } from "../responses-wire.ts";
import type { ReceivedRequest, ScriptedStatus } from "../scripted-reply.ts";

/** What the server remembers of its own responses: it keeps none of them, but knows its own items again. */
export interface Ledger {
  /** The refusal of a request, or undefined for one that the API would take. */
  refuse(request: ReceivedRequest): ScriptedStatus | undefined;
  /** `input_transformations` of the response to this request. */
  removed(request: ReceivedRequest): readonly object[];
  /** Remembers what a request is answered with. */
  issue(request: ReceivedRequest, items: readonly Item[]): void;
  /** Ids of own items that came back with another content, in order. The API takes them; no client should send them. */
  readonly altered: readonly string[];
}
interface Issued {
  readonly item: Item;
  readonly model: unknown;
  /** The reasoning of the same response, where there is one. */
  readonly reasoning: string | undefined;
  /** Everything that came before it. */
  readonly before: readonly string[];
}

export function createLedger(): Ledger {
  const issued = new Map<string, Issued>();
  const altered: string[] = [];
  return {
    altered,
    refuse({ body }) {
      const refusal = refusedFields(body) ?? refusedTools(body) ?? refusedItems(inputOf(body), issued);
      if (refusal !== undefined) return refusal;
      for (const item of inputOf(body)) {
        const own = issued.get(keyOf(item));
        if (own !== undefined && essence(own.item) !== essence(item)) altered.push(keyOf(item));
      }
      return undefined;
    },
    removed: ({ body }) => removedOf(body, issued),
    issue({ body }, items) {
      const before = inputOf(body).map(essence);
      const reasoning = items.find(({ type }) => type === "reasoning")?.id;
      for (const [index, item] of items.entries()) {
        const own = { item, model: body["model"], reasoning, before: [...before, ...items.slice(0, index).map(essence)] };
        issued.set(keyOf(item), own);
        if (typeof item["encrypted_content"] === "string") issued.set(item["encrypted_content"], own);
      }
    },
  };
}

export const inputOf = (body: Body): readonly Item[] => {
  const { input } = body;
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  return ((input ?? []) as Item[]).map((item) => ({ ...item, type: item.type ?? "message" })); // a client sends anything; EasyInputMessage needs no type
};

/** What of an item is its content. */
function essence(item: Item): string {
  const { type, role, content, call_id, name, arguments: json, output, encrypted_content, phase } = item;
  if (type !== "message") return JSON.stringify([type, call_id, name, json, output, encrypted_content]);
  const parts = typeof content === "string" ? [content] : (content as Record<string, unknown>[]).map((part) => part["text"] ?? part);
  return JSON.stringify([type, role, parts, phase ?? null]);
}
const keyOf = (item: Item): string => item.id ?? String(item["call_id"]);

/** The documented fields of `ResponseCreateParams`: npm openai 7.57.0 `resources/responses/responses.d.ts`. There is no `seed`, and no `messages`. */
const fields: ReadonlySet<string> = new Set(
  "background context_management conversation include input instructions max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user".split(
    " ",
  ),
);
const itemFields: Readonly<Record<string, readonly string[]>> = {
  message: ["type", "role", "content", "id", "status", "phase"],
  // 1jehuang/jcode#1028, Stack-Cairn/LiveAgent#334: no status on one that comes back.
  reasoning: ["type", "id", "summary", "content", "encrypted_content"],
  function_call: ["type", "id", "call_id", "name", "arguments", "status"],
  function_call_output: ["type", "id", "call_id", "output", "status"],
};

/** pydantic/pydantic-ai#3653, 1jehuang/jcode#1028. */
function refusedFields(body: Body): ScriptedStatus | undefined {
  const unknown = Object.keys(body).find((key) => !fields.has(key));
  if (unknown !== undefined) return refused(`Unknown parameter: '${unknown}'.`, unknown, "unknown_parameter");
  for (const [index, item] of inputOf(body).entries()) {
    const known = itemFields[item.type];
    if (known === undefined) return refused(`Invalid value: '${item.type}'.`, `input[${index}]`, "invalid_value");
    const odd = Object.keys(item).find((key) => !known.includes(key));
    if (odd !== undefined) return refused(`Unknown parameter: 'input[${index}].${odd}'.`, `input[${index}].${odd}`, "unknown_parameter");
  }
  return undefined;
}

/** npm openai 7.57.0 `FunctionTool`: flat. Words by analogy. */
function refusedTools(body: Body): ScriptedStatus | undefined {
  const tools = (body["tools"] ?? []) as Record<string, unknown>[]; // a client sends anything
  const index = tools.findIndex(({ type, name }) => type === "function" && typeof name !== "string");
  if (index === -1) return undefined;
  return refused(`Missing required parameter: 'tools[${index}].name'.`, `tools[${index}].name`, "missing_required_parameter");
}

function refusedItems(input: readonly Item[], issued: ReadonlyMap<string, Issued>): ScriptedStatus | undefined {
  for (const [index, item] of input.entries()) {
    const { type, id } = item;
    if (type === "reasoning") {
      const content = item["encrypted_content"];
      // anomalyco/opencode#7724, can1357/oh-my-pi#41.
      if (typeof content !== "string") {
        const words = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
        return refused(words, "input", null, 404);
      }
      // openai/codex#8145, Wei-Shaw/sub2api#3038.
      if (!issued.has(content)) {
        const words = `The encrypted content ${content.slice(0, 4)}...${content.slice(-4)} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
        return refused(words, null, "invalid_encrypted_content");
      }
      // continuedev/continue#8933, openai/openai-node#1567.
      const next = input[index + 1];
      if (next === undefined || !(next.type === "function_call" || (next.type === "message" && next["role"] === "assistant")))
        return refused(`Item '${id}' of type 'reasoning' was provided without its required following item.`, "input", null);
    }
    // continuedev/continue#11994: an item that names itself comes after its reasoning.
    const reasoning = id === undefined || type === "reasoning" ? undefined : issued.get(id)?.reasoning;
    if (reasoning !== undefined && !input.slice(0, index).some((earlier) => earlier.id === reasoning)) {
      const words = `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${reasoning}'.`;
      return refused(words, "input", null);
    }
  }
  return refusedPairs(input);
}

/** Gitlawb/openclaude#187, massgen/MassGen#590; continuedev/continue#10092. */
function refusedPairs(input: readonly Item[]): ScriptedStatus | undefined {
  const idsOf = (kind: string): string[] => input.flatMap((item) => (item.type === kind ? [String(item["call_id"])] : []));
  const [calls, outputs] = [idsOf("function_call"), idsOf("function_call_output")];
  const open = calls.find((id) => !outputs.includes(id));
  if (open !== undefined) return refused(`No tool output found for function call ${open}.`, "input", null);
  const stray = outputs.find((id) => !calls.includes(id));
  return stray === undefined ? undefined : refused(`No tool call found for function call output with call_id ${stray}.`, "input", null);
}

/** developers.openai.com, "Keep prefix unchanged": reasoning whose earlier input changed, or that another model made, is dropped. */
function removedOf(body: Body, issued: ReadonlyMap<string, Issued>): object[] {
  if (!familyOf(body["model"])?.dropsReasoning) return [];
  const input = inputOf(body);
  const essences = input.map(essence);
  return input.flatMap((item, index) => {
    const own = item.type === "reasoning" ? issued.get(String(item["encrypted_content"])) : undefined;
    if (own === undefined) return [];
    const same = own.before.length === index && own.before.every((earlier, at) => earlier === essences[at]);
    const reason = own.model !== body["model"] ? "model_mismatch" : same ? undefined : "prefix_mismatch";
    return reason === undefined ? [] : [{ type: "reasoning", id: item.id, action: "removed", reason }];
  });
}

type Body = ReceivedRequest["body"];

/** developers.openai.com, "Error codes". */
export const refused = (
  message: string,
  param: string | null,
  code: string | null,
  status = 400,
  type = "invalid_request_error",
): ScriptedStatus => ({ status, body: { error: { message, type, param, code } } });
