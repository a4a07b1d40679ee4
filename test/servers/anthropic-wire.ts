import type { ScriptedSpeech } from "./scripted-reply.ts";

const stopReasons = {
  end: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  refusal: "refusal",
  context: "model_context_window_exceeded",
} as const;

/** The body of `POST /v1/messages` for this reply: server-sent events, or one JSON object. */
export function anthropicBody(reply: ScriptedSpeech, stream: boolean, asked: string, serial: number): string {
  const blocks = blocksOf(reply, serial);
  const stop = stopReasons[reply.stop ?? (reply.calls?.length ? "calls" : "end")];
  const { start, end } = usageOf(reply);
  const message = { id: `msg_${serial}`, type: "message", role: "assistant", model: reply.model ?? asked };
  if (!stream) {
    const content = blocks.map(({ block, whole }) => ({ ...block, ...whole }));
    return JSON.stringify({ ...message, content, stop_reason: stop, stop_sequence: null, usage: { ...start, ...end } });
  }
  const events: [string, object][] = [
    ["message_start", { message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage: start } }],
    ["ping", {}],
  ];
  for (const [index, { block, deltas }] of blocks.entries()) {
    events.push(["content_block_start", { index, content_block: block }]);
    for (const delta of deltas) events.push(["content_block_delta", { index, delta }]);
    events.push(["content_block_stop", { index }]);
  }
  if (reply.streamError) events.push(["error", { error: reply.streamError }]);
  else {
    events.push(["message_delta", { delta: { stop_reason: stop, stop_sequence: null }, usage: end }]);
    events.push(["message_stop", {}]);
  }
  return events.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`).join("");
}

/** Cached tokens are not part of `input_tokens` on this wire. */
function usageOf(reply: ScriptedSpeech): { start: object | undefined; end: object | undefined } {
  if (reply.usage === null) return { start: undefined, end: undefined };
  const { input, output, cached = 0, cacheWrite = 0, reasoning } = reply.usage ?? { input: 10, output: 5 };
  const counted = {
    input_tokens: input - cached - cacheWrite,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: cacheWrite,
  };
  const details = reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoning } };
  return { start: { ...counted, output_tokens: 1 }, end: { output_tokens: output, ...details } };
}

function blocksOf(reply: ScriptedSpeech, serial: number): { block: object; deltas: object[]; whole: object }[] {
  const blocks = [];
  if (reply.thinking !== undefined) {
    const signature = reply.signature ?? `sig-${serial}`;
    blocks.push({
      block: { type: "thinking", thinking: "", signature: "" },
      deltas: [...halves(reply.thinking).map((thinking) => ({ type: "thinking_delta", thinking })), { type: "signature_delta", signature }],
      whole: { thinking: reply.thinking, signature },
    });
  }
  if (reply.text !== undefined) {
    const deltas = halves(reply.text).map((text) => ({ type: "text_delta", text }));
    blocks.push({ block: { type: "text", text: "" }, deltas, whole: { text: reply.text } });
  }
  for (const [index, call] of (reply.calls ?? []).entries()) {
    const json = typeof call.args === "string" ? call.args : JSON.stringify(call.args);
    blocks.push({
      block: { type: "tool_use", id: call.id ?? `toolu_${serial}_${index}`, name: call.name, input: {} },
      deltas: halves(json).map((partial_json) => ({ type: "input_json_delta", partial_json })),
      whole: { input: call.args },
    });
  }
  return blocks;
}

/** Two deltas, so that what a client puts together is really put together. */
export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
