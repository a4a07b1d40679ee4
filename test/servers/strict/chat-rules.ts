import type { ReceivedRequest, ScriptedStatus } from "../scripted-reply.ts";
import { refused } from "./responses-rules.ts";

type Body = ReceivedRequest["body"];

/** What Chat Completions refuse of a request whatever its model is, or undefined. */
export const refusedConversation = (body: Body): ScriptedStatus | undefined => refusedField(body) ?? refusedMessages(body);

/** The documented fields of `ChatCompletionCreateParams`: npm openai 7.57.0 `resources/chat/completions/completions.d.ts`. */
const fields: ReadonlySet<string> = new Set(
  "audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options".split(
    " ",
  ),
);

/** AAswordman/Operit#1048. */
function refusedField(body: Body): ScriptedStatus | undefined {
  const name = Object.keys(body).find((key) => !fields.has(key));
  return name === undefined ? undefined : refused(`Unrecognized request argument supplied: ${name}`, null, null);
}

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
}

function refusedMessages(body: Body): ScriptedStatus | undefined {
  const messages = (body["messages"] ?? []) as readonly ChatMessage[]; // a client sends anything
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    const { role, tool_call_id: id = "", tool_calls: calls = [] } = message;
    if (role !== "tool") {
      if (open.length > 0) return unanswered(open, at);
      const refusal = role === "assistant" ? refusedAssistant(message, at) : undefined;
      if (refusal) return refusal;
      open = calls.map((call) => call.id);
      continue;
    }
    const words = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    // miurla/morphic#136, run-llama/llama_index#10493.
    if (!open.includes(id)) return refused(words, `messages.[${at}].role`, null);
    open = open.filter((one) => one !== id);
    // npm openai 7.57.0 `ChatCompletionToolMessageParam`: text alone. Words by analogy.
    const parts = Array.isArray(message.content) ? (message.content as { type: string }[]) : [];
    if (parts.some(({ type }) => type !== "text")) return refused("Invalid content type.", `messages.[${at}].content`, null);
  }
  return open.length > 0 ? unanswered(open, messages.length) : undefined;
}

/** BloomLabsInc/genkit-plugins#225, minoism/freecc#2. */
const unanswered = (ids: readonly string[], at: number): ScriptedStatus =>
  refused(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`,
    `messages.[${at}].role`,
    null,
  );

function refusedAssistant({ content, tool_calls: calls = [] }: ChatMessage, at: number): ScriptedStatus | undefined {
  // mcp-use/mcp-use#90.
  const named = calls.findIndex((call) => !/^[a-zA-Z0-9_-]{1,64}$/.test(call.function.name));
  if (named !== -1) {
    const place = `messages[${at}].tool_calls[${named}].function.name`;
    const words = `Invalid '${place}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
    return refused(words, place, "invalid_value");
  }
  // run-llama/llama_index#17921.
  if (content != null || calls.length > 0) return undefined;
  return refused("Invalid value for 'content': expected a string, got null.", `messages.[${at}].content`, null);
}
