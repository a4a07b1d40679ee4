import { halves } from "./anthropic-wire.ts";
import type { ScriptedSpeech } from "./scripted-reply.ts";

/** A reply with what only this wire has. */
export interface ResponsesSpeech extends ScriptedSpeech {
  /** A message's part in the place of its text. */
  readonly refusal?: string;
  readonly phase?: "commentary" | "final_answer";
  /** Like `streamError`; `flat`: in the form that the SDK's types declare, not the one that was recorded; `failed`: `response.failed` alone. */
  readonly error?: { readonly code: string; readonly message: string; readonly form?: "nested" | "flat" | "failed" };
}

/** An item of a response as the wire has it. */
export type Item = Readonly<Record<string, unknown>> & { readonly type: string; readonly id?: string };

/** How a response is written. */
export interface Written {
  readonly serial: number;
  readonly model: string;
  readonly stream: boolean;
  /** Whether the model reasons before it speaks. */
  readonly reasons: boolean;
  /** The request includes `reasoning.encrypted_content`. */
  readonly encrypts: boolean;
  /** `@earendil-works/pi-ai` 1.5.2 `dist/api/openai-responses-shared.js`: Azure fills encrypted content in `response.completed` alone. */
  readonly encryptsAtTheEnd: boolean;
  readonly inputTokens: number;
  readonly removed: readonly object[];
}

/** The items of a reply: reasoning first, then what it led to. Shapes: npm openai 7.57.0 `resources/responses/responses.d.ts`. */
export function itemsOf(speech: ResponsesSpeech, o: Written): Item[] {
  const id = (kind: string, index: number): string => `${kind}_${o.serial}_${index}`;
  const status = speech.stop === "length" ? "incomplete" : "completed";
  const items: Item[] = [];
  if (o.reasons) {
    const summary = speech.thinking === undefined ? [] : [{ type: "summary_text", text: speech.thinking }];
    items.push({
      id: id("rs", 0),
      type: "reasoning",
      summary,
      ...(o.encrypts ? { encrypted_content: `gAAAA-${o.serial}` } : {}),
      status: "completed",
    });
  }
  if (speech.text !== undefined || speech.refusal !== undefined) {
    const content =
      speech.refusal === undefined
        ? { type: "output_text", text: speech.text, annotations: [], logprobs: [] }
        : { type: "refusal", refusal: speech.refusal };
    const phase = speech.phase ?? (speech.calls?.length ? "commentary" : "final_answer");
    items.push({ id: id("msg", 0), type: "message", role: "assistant", status, phase, content: [content] });
  }
  for (const [index, call] of (speech.calls ?? []).entries()) {
    const json = typeof call.args === "string" ? call.args : JSON.stringify(call.args);
    const call_id = call.id ?? id("call", index);
    items.push({ id: id("fc", index), type: "function_call", status, call_id, name: call.name, arguments: json });
  }
  return items;
}

/** The body of `POST /v1/responses` for this reply: server-sent events, or one JSON object. */
export function responsesBody(speech: ResponsesSpeech, items: readonly Item[], o: Written): string {
  const cut = { length: "max_output_tokens", refusal: "content_filter" } as const;
  const reason = speech.stop === "length" || speech.stop === "refusal" ? cut[speech.stop] : undefined;
  const { input = o.inputTokens, output = 12, cached = 0, cacheWrite = 0, reasoning = 7 } = speech.usage ?? {};
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: o.reasons ? Math.min(reasoning, output) : 0 },
    total_tokens: input + output,
  };
  const head = { id: `resp_${o.serial}`, object: "response", created_at: 0, model: speech.model ?? o.model, store: false, error: null };
  const whole = {
    ...head,
    status: reason === undefined ? "completed" : "incomplete",
    incomplete_details: reason === undefined ? null : { reason },
    output: items,
    usage: speech.usage === null ? null : usage,
    ...(o.removed.length === 0 ? {} : { input_transformations: o.removed }),
  };
  if (!o.stream) return JSON.stringify(whole);

  let sequence_number = 0;
  const event = (type: string, data: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...data })}\n\n`;
  const started = { response: { ...head, status: "in_progress", incomplete_details: null, output: [], usage: null } };
  const events = [event("response.created", started), event("response.in_progress", started)];
  for (const [output_index, item] of items.entries()) {
    const early = o.encryptsAtTheEnd && item.type === "reasoning" ? without(item, "encrypted_content") : item;
    events.push(event("response.output_item.added", { output_index, item: unfinished(early) }));
    events.push(...piecesOf(item, output_index).map(([type, data]) => event(type, data)));
    events.push(event("response.output_item.done", { output_index, item: early }));
  }
  if (speech.error !== undefined) return [...events, ...failure(speech.error, head, event)].join("");
  events.push(event(`response.${whole.status}`, { response: whole }));
  return events.join("");
}

/** vercel/ai@ed857f5 `packages/openai/src/responses/__fixtures__/openai-error.1.chunks.txt`: nested, then failed. npm openai 7.57.0 `ResponseErrorEvent`: flat. */
function failure(
  { code, message, form = "nested" }: NonNullable<ResponsesSpeech["error"]>,
  head: object,
  event: (type: string, data: object) => string,
): string[] {
  const nested = { error: { type: "invalid_request_error", code, message, param: null } };
  const failed = { ...head, status: "failed", error: { code, message }, output: [], usage: null };
  return [
    ...(form === "failed" ? [] : [event("error", form === "nested" ? nested : { code, message, param: null })]),
    event("response.failed", { response: failed }),
  ];
}

/** The copy of `.added` can be incomplete: npm openai 7.57.0 `ResponseReasoningItem`. */
function unfinished(item: Item): object {
  const open = { ...item, status: "in_progress" };
  if (item.type === "reasoning") return { ...open, summary: [], ...("encrypted_content" in item ? { encrypted_content: "gAAAA" } : {}) };
  return item.type === "message" ? { ...open, content: [] } : { ...open, arguments: "" };
}

function piecesOf(item: Item, output_index: number): [type: string, data: object][] {
  const at = { item_id: item.id, output_index };
  if (item.type === "function_call") {
    const json = String(item["arguments"]);
    const deltas = halves(json).map((delta): [string, object] => ["response.function_call_arguments.delta", { ...at, delta }]);
    return [...deltas, ["response.function_call_arguments.done", { ...at, name: item["name"], arguments: json }]];
  }
  if (item.type === "reasoning") {
    const parts = item["summary"] as { text: string }[]; // made above
    return parts.flatMap(({ text }, summary_index): [string, object][] => [
      ["response.reasoning_summary_part.added", { ...at, summary_index, part: { type: "summary_text", text: "" } }],
      ...halves(text).map((delta): [string, object] => ["response.reasoning_summary_text.delta", { ...at, summary_index, delta }]),
      ["response.reasoning_summary_text.done", { ...at, summary_index, text }],
      ["response.reasoning_summary_part.done", { ...at, summary_index, part: { type: "summary_text", text } }],
    ]);
  }
  const [part] = item["content"] as { type: string; text?: string; refusal?: string }[]; // made above
  const kind = part?.type === "refusal" ? "refusal" : "output_text";
  const text = part?.text ?? part?.refusal ?? "";
  const here = { ...at, content_index: 0 };
  return [
    ["response.content_part.added", { ...here, part: { ...part, [kind === "refusal" ? "refusal" : "text"]: "" } }],
    ...halves(text).map((delta): [string, object] => [`response.${kind}.delta`, { ...here, delta }]),
    [`response.${kind}.done`, { ...here, [kind === "refusal" ? "refusal" : "text"]: text }],
    ["response.content_part.done", { ...here, part }],
  ];
}

const without = (item: Item, key: string): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => name !== key)) as unknown as Item; // `type` stays
