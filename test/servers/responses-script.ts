import { inputOf } from "./strict/responses-rules.ts";
import type { Item, ResponsesSpeech } from "./responses-wire.ts";
import type { ReceivedRequest } from "./scripted-reply.ts";
import type { AskModel } from "./strict-server.ts";

/** A task for a model that does as it is told: these are its replies, in order; after them it says that it is done. */
export const scriptOf = (...replies: readonly ResponsesSpeech[]): string => `SCRIPT: ${JSON.stringify(replies)} :END`;

/** The next reply of the script in the last user message that has one; undefined where there is none. */
export function scriptedSpeech({ body }: Pick<ReceivedRequest, "body">): ResponsesSpeech | undefined {
  const input = inputOf(body);
  const at = input.findLastIndex((item) => item["role"] === "user" && scriptIn(item) !== undefined);
  const script = at === -1 ? undefined : scriptIn(input[at] as Item); // found right before
  if (script === undefined) return undefined;
  const spoken = input.slice(at + 1).map(isOwn);
  const turns = spoken.filter((own, index) => own && !spoken[index - 1]).length;
  return script[turns] ?? { text: "Done." };
}

const isOwn = (item: Item): boolean => item.type === "reasoning" || item.type === "function_call" || item["role"] === "assistant";

function scriptIn(item: Item): ResponsesSpeech[] | undefined {
  const json = /SCRIPT: (\[.*?\]) :END/s.exec(textIn(item["content"]))?.[1];
  return json === undefined ? undefined : (JSON.parse(json) as ResponsesSpeech[]); // of the tests' own making
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content)
    ? content.map((part: { text?: string; refusal?: string }) => part.text ?? part.refusal ?? "").join("\n")
    : "";
}

/** What the simulated model says to the same conversation on Chat Completions, which it speaks. */
export async function simulatedSpeech({ body }: Pick<ReceivedRequest, "body">, ask: AskModel): Promise<ResponsesSpeech | Response> {
  const tools = (body["tools"] ?? []) as Record<string, unknown>[]; // the rules have looked at them
  const messages = inputOf(body).flatMap(chatMessages);
  const chat = {
    messages,
    ...(tools.length === 0 ? {} : { tools: tools.map(({ type, strict: _, ...shape }) => ({ type, function: shape })) }),
  };
  const response = await ask({ method: "POST", path: "/v1/chat/completions", body: chat });
  if (!response.ok) return response;
  const { choices, usage } = (await response.json()) as Completion;
  const { message, finish_reason } = choices[0];
  return {
    ...(message.content ? { text: message.content } : {}),
    calls: (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({ id, name, args })),
    ...(finish_reason === "length" ? { stop: "length" } : {}),
    usage: { input: usage.prompt_tokens, output: usage.completion_tokens },
  };
}
interface Completion {
  readonly choices: readonly [{ readonly message: ChatMessage; readonly finish_reason: string }];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}
interface ChatMessage {
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[];
}

/** The calls of one reply are one message there. */
function chatMessages(item: Item, index: number, input: readonly Item[]): object[] {
  const { type, role, call_id } = item;
  if (type === "reasoning") return [];
  if (type === "function_call_output") return [{ role: "tool", tool_call_id: call_id, content: textIn(item["output"]) }];
  if (type === "function_call") {
    if (input[index - 1]?.type === "function_call") return []; // the first one has them all
    const end = input.findIndex((each, at) => at > index && each.type !== "function_call");
    const calls = input.slice(index, end === -1 ? input.length : end);
    const tool_calls = calls.map((each) => ({ id: each["call_id"], type: "function", function: { name: each["name"], arguments: each["arguments"] } })); // prettier-ignore
    return [{ role: "assistant", content: null, tool_calls }];
  }
  return [{ role: role === "developer" ? "system" : role, content: textIn(item["content"]) }];
}
