import { halves } from "./anthropic-wire.ts";
import type { ScriptedSpeech } from "./scripted-reply.ts";

const finishReasons = { end: "stop", calls: "tool_calls", length: "length", refusal: "content_filter", context: "length" } as const;

/** The body of `POST /v1/chat/completions` for this reply: server-sent events, or one JSON object. */
export function openAiBody(reply: ScriptedSpeech, o: { stream: boolean; withUsage: boolean; asked: string; serial: number }): string {
  const finish = finishReasons[reply.stop ?? (reply.calls?.length ? "calls" : "end")];
  const calls = (reply.calls ?? []).map((call, index) => ({
    index,
    id: call.id ?? `call_${o.serial}_${index}`,
    name: call.name,
    json: typeof call.args === "string" ? call.args : JSON.stringify(call.args),
  }));
  const head = {
    id: `chatcmpl-${o.serial}`,
    created: 0,
    model: reply.model ?? o.asked,
    ...(reply.fingerprint === undefined ? {} : { system_fingerprint: reply.fingerprint }),
  };
  if (!o.stream) {
    const tool_calls = calls.map(({ id, name, json }) => ({ id, type: "function", function: { name, arguments: json } }));
    const message = {
      role: "assistant",
      content: reply.text ?? null,
      ...(reply.thinking === undefined ? {} : { reasoning_content: reply.thinking }),
      ...(calls.length > 0 ? { tool_calls } : {}),
    };
    const choices = [{ index: 0, message, finish_reason: finish }];
    return JSON.stringify({ ...head, object: "chat.completion", choices, usage: usageOf(reply) });
  }
  const deltas: object[] = [{ role: "assistant", content: "" }];
  if (reply.thinking !== undefined) deltas.push(...halves(reply.thinking).map((reasoning_content) => ({ reasoning_content })));
  if (reply.text !== undefined) deltas.push(...halves(reply.text).map((content) => ({ content })));
  // The calls' pieces alternate, as servers with parallel calls may send them.
  for (const { index, id, name } of calls) {
    deltas.push({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
  }
  for (const piece of [0, 1]) {
    for (const { index, json } of calls) deltas.push({ tool_calls: [{ index, function: { arguments: halves(json)[piece] } }] });
  }
  const chunk = (rest: object): string => `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...rest })}\n\n`;
  const events = deltas.map((delta) => chunk({ choices: [{ index: 0, delta, finish_reason: null }] }));
  if (reply.streamError) return [...events, `data: ${JSON.stringify({ error: reply.streamError })}\n\n`].join("");
  events.push(chunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }));
  if (o.withUsage && reply.usage !== null) events.push(chunk({ choices: [], usage: usageOf(reply) }));
  return [...events, "data: [DONE]\n\n"].join("");
}

function usageOf(reply: ScriptedSpeech): object | undefined {
  if (reply.usage === null) return undefined;
  const { input, output, cached = 0, reasoning } = reply.usage ?? { input: 10, output: 5 };
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}
