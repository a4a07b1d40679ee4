import type { ServedTask } from "../../../harness/models/simulated/server/served-tasks.ts";
import { anthropicFacts, type AnthropicFacts } from "./anthropic-facts.ts";
import type { ReceivedRequest, ScriptedStatus } from "../scripted-reply.ts";
import { startStrictServer, type StrictServer } from "../strict-server.ts";

/**
 * Refuses what api.anthropic.com refuses of a request, each rule with its place in the documentation (platform.claude.com, November 2026) or the thread where
 * its body was seen. What a signature binds is in `signatures.ts`.
 */
export const startStrictAnthropic = (tasks: readonly ServedTask[]): Promise<StrictServer> => startStrictServer(anthropicRefusal, tasks);

/** API versioning. */
const versions = ["2023-06-01", "2026-10-21"];
const interleaved = "interleaved-thinking-2025-05-14";
/** Extended thinking: those of the models in `anthropic-facts.ts`, and what an agent commonly sends. */
const betas = [interleaved, "thinking-binding-controls-2026-08-01", "context-1m-2025-08-07"];

export type AnthropicBody = ReceivedRequest["body"];
export interface AnthropicBlock {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly content?: string | readonly AnthropicBlock[];
  readonly cache_control?: unknown;
}

/** The refusal of a request, or undefined for one that the API would take. */
export function anthropicRefusal({ body, headers, text }: ReceivedRequest): ScriptedStatus | undefined {
  const account = accountRefusal(`${String(headers["x-api-key"])} ${String(headers.authorization)}`);
  if (account !== undefined) return account;
  // Errors: above 32 MB.
  if (text.length > 32 * 1024 ** 2) return refused("Request exceeds the maximum size", "request_too_large", 413);
  const version = headers["anthropic-version"];
  // Pasta-Devs/Marinara-Engine#120, decolua/9router#2357.
  if (version === undefined) return refused("anthropic-version: header is required");
  if (!versions.includes(String(version))) return refused(`anthropic-version: "${String(version)}" is not a valid version`);
  // pacifio/cersei#20.
  const asked = String(headers["anthropic-beta"] ?? "")
    .split(",")
    .map((name) => name.trim());
  const beta = asked.find((name) => name !== "" && !betas.includes(name));
  if (beta !== undefined) return refused(`Unexpected value(s) \`${beta}\` for the \`anthropic-beta\` header`);
  const facts = anthropicFacts(body["model"]);
  // Errors: 404.
  if (facts === undefined) return refused(`model: ${String(body["model"])}`, "not_found_error", 404);
  return (
    refusedSampling(body, String(version), facts) ??
    refusedThinking(body, facts) ??
    refusedBudget(body, asked.includes(interleaved)) ??
    refusedTool(body, facts) ??
    refusedLength(body, facts) ??
    refusedBlocks(body, facts) ??
    refusedOrder(body)
  );
}

/** Keys that stand for an account. Any other one is good. */
export const anthropicAccounts = { wrong: "sk-ant-wrong", spent: "sk-ant-spent", capped: "sk-ant-capped" } as const;

function accountRefusal(key: string): ScriptedStatus | undefined {
  if (key.includes(anthropicAccounts.wrong)) return refused("invalid x-api-key", "authentication_error", 401);
  // anthropics/claude-code#88711.
  if (key.includes(anthropicAccounts.spent))
    return refused(
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    );
  if (!key.includes(anthropicAccounts.capped)) return undefined;
  // Rate limits; npm @anthropic-ai/sdk 1.13.0, CHANGELOG 1.10.0: keeps failing, no retry-after.
  const error = {
    type: "rate_limit_error",
    message: "You have reached your spend limit.",
    details: { error_code: "enforced_spend_limit_reached" },
  };
  return { status: 429, body: { type: "error", error, request_id: "req_strict" } };
}

/** API versioning: under 2026-10-21 any of the three, default value or not, is refused of every model. Migration guide: before, of 4.7 and later. */
function refusedSampling(body: AnthropicBody, version: string, facts: AnthropicFacts): ScriptedStatus | undefined {
  const defaults = { temperature: 1, top_p: 1, top_k: undefined } as const;
  const sent = (["temperature", "top_p", "top_k"] as const).find((name) =>
    version === "2026-10-21" ? body[name] !== undefined : !facts.sampling && body[name] !== undefined && body[name] !== defaults[name],
  );
  return sent && refused(`${sent}: Extra inputs are not permitted`);
}

const thinkingOf = (body: AnthropicBody) => body["thinking"] as { readonly type?: string; readonly budget_tokens?: number } | undefined; // a client sends anything
const effortOf = (body: AnthropicBody): string | undefined => (body["output_config"] as { effort?: string } | undefined)?.effort; // as above

/** Extended thinking and Effort: by model. */
function refusedThinking(body: AnthropicBody, facts: AnthropicFacts): ScriptedStatus | undefined {
  const kind = thinkingOf(body)?.type;
  if (kind !== undefined && !facts.thinking.includes(kind)) return refused(`"thinking.type.${kind}" is not supported for this model`);
  const effort = effortOf(body);
  if (effort !== undefined && !facts.effort.includes(effort))
    return refused(`output_config.effort: "${effort}" is not supported for this model`);
  if (kind === "disabled" && facts.disabledUpToHigh && (effort === "xhigh" || effort === "max"))
    return refused(`"thinking.type.disabled" is not supported for this model with effort "${effort}"`);
  return undefined;
}

/** Extended thinking; themaximalist/llm.js#30: at least 1,024 and below max_tokens, which interleaved thinking lifts. */
function refusedBudget(body: AnthropicBody, isInterleaved: boolean): ScriptedStatus | undefined {
  const { type, budget_tokens: budget = 0 } = thinkingOf(body) ?? {};
  if (type !== "enabled") return undefined;
  if (budget < 1_024) return refused("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
  const tooMuch = budget >= Number(body["max_tokens"]) && !isInterleaved;
  return tooMuch ? refused("`max_tokens` must be greater than `thinking.budget_tokens`") : undefined;
}

/** Yeachan-Heo/gajae-code#480; mastra-ai/mastra#7507. */
function refusedTool(body: AnthropicBody, facts: AnthropicFacts): ScriptedStatus | undefined {
  const choice = (body["tool_choice"] as { type?: string } | undefined)?.type; // a client sends anything
  if (choice !== "any" && choice !== "tool") return undefined;
  if (facts.forcedTools === "never") return refused("tool_choice forces tool use is not compatible with this model");
  const thinks = thinkingOf(body)?.type === "enabled";
  return thinks ? refused("Thinking may not be enabled when tool_choice forces tool use.") : undefined;
}

/** anthropics/claude-code#24451; Context windows. Four characters a token, images left out: no more than an estimate. */
function refusedLength(body: AnthropicBody, facts: AnthropicFacts): ScriptedStatus | undefined {
  const output = Number(body["max_tokens"]);
  if (output > facts.output)
    return refused(
      `max_tokens: ${output} > ${facts.output}, which is the maximum allowed number of output tokens for ${String(body["model"])}`,
    );
  const used = Math.ceil(JSON.stringify(body).replaceAll(/"data":"[^"]*"/g, "").length / 4);
  return used > facts.window ? refused(`prompt is too long: ${used} tokens > ${facts.window} maximum`) : undefined;
}

/** A message's blocks; text alone is one block. */
export const blocksOf = (content: AnthropicBlock["content"]): readonly AnthropicBlock[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
export const messagesOf = (body: AnthropicBody) =>
  (body["messages"] ?? []) as readonly { readonly role: string; readonly content: AnthropicBlock["content"] }[]; // a client sends anything

/** What stands in the conversation, whoever said it. */
function refusedBlocks(body: AnthropicBody, facts: AnthropicFacts): ScriptedStatus | undefined {
  const messages = messagesOf(body);
  // smallmain/vscode-unify-chat-provider#249, agenticloops-ai/agentic-ai-engineering#43.
  if (messages.at(-1)?.role === "assistant" && !facts.prefill)
    return refused("This model does not support assistant message prefill. The conversation must end with a user message.");
  for (const [at, { role, content }] of messages.entries()) {
    const blocks = blocksOf(content);
    // anthropics/claude-code#6774.
    if (blocks.length === 0)
      return refused(`messages.${at}: all messages must have non-empty content except for the optional final assistant message`);
    // anthropics/claude-code#59812, #23440.
    const texts = blocks.filter(({ type }) => type === "text");
    if (texts.some(({ text = "" }) => text === "")) return refused("messages: text content blocks must be non-empty");
    if (texts.some(({ text = "" }) => text.trim() === "")) return refused("messages: text content blocks must contain non-whitespace text");
    // tailcallhq/forgecode#1142.
    const odd = blocks.find(({ id, tool_use_id }) => !/^[a-zA-Z0-9_-]+$/.test(id ?? tool_use_id ?? "none"));
    if (odd) return refused(`messages.${at}.content: ${odd.type}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    // tailcallhq/forgecode#2107, #3071; router-for-me/CLIProxyAPI#5321 saw it at the end of the conversation alone.
    if (role === "assistant" && isThinking(blocks.at(-1)))
      return refused(`messages.${at}: The final block in an assistant message cannot be \`thinking\`.`);
    const inner = blocks.flatMap((block) => (block.type === "tool_result" ? blocksOf(block.content ?? []) : []));
    if (inner.some(({ type, text }) => type === "text" && text === "")) return refused("messages: text content blocks must be non-empty");
    // Prompt caching.
    if (blocks.some((block) => isThinking(block) && block.cache_control !== undefined))
      return refused(`messages.${at}.content: thinking.cache_control: Extra inputs are not permitted`);
  }
  return refusedMarkers(body) ?? refusedStart(body);
}
const isThinking = (block: AnthropicBlock | undefined): boolean => block?.type === "thinking" || block?.type === "redacted_thinking";

/** Prompt caching; continuedev/continue#6937. */
function refusedMarkers(body: AnthropicBody): ScriptedStatus | undefined {
  const markers = [...JSON.stringify([body["tools"], body["system"], body["messages"]]).matchAll(/"cache_control":\{"type"/g)].length;
  return markers > 4 ? refused(`A maximum of 4 blocks with cache_control may be provided. Found ${markers}.`) : undefined;
}

/** Extended thinking; n8n-io/n8n#22550: of kind `enabled`, the assistant's last turn begins with a thinking block. */
function refusedStart(body: AnthropicBody): ScriptedStatus | undefined {
  const messages = messagesOf(body);
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const blocks = blocksOf(messages[at]?.content);
  const calls = blocks.some(({ type }) => type === "tool_use");
  if (thinkingOf(body)?.type !== "enabled" || !calls || isThinking(blocks[0])) return undefined;
  return refused(
    `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${blocks[0]?.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
  );
}

/** Handle tool calls; anthropics/claude-code#3512: results come next, and before any text. */
function refusedOrder(body: AnthropicBody): ScriptedStatus | undefined {
  const messages = messagesOf(body);
  for (const [at, { role, content }] of messages.entries()) {
    const calls = role === "assistant" ? blocksOf(content).filter(({ type }) => type === "tool_use") : [];
    if (calls.length === 0) continue;
    const blocks = blocksOf(messages[at + 1]?.content);
    const results = blocks.slice(0, blocks.findLastIndex(({ type }) => type === "tool_result") + 1);
    const unanswered = calls.find(({ id }) => !results.some((block) => block.tool_use_id === id));
    if (unanswered === undefined && results.every(({ type }) => type === "tool_result")) continue;
    return refused(
      `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${(unanswered ?? calls[0])?.id}`,
    );
  }
  return undefined;
}

export const refused = (message: string, type = "invalid_request_error", status = 400): ScriptedStatus => ({
  status,
  body: { type: "error", error: { type, message }, request_id: "req_strict" },
});
