import type { Effort } from "../../contract/messages.ts";

/** How an Anthropic model is asked for effort: its own parameter, a thinking budget in tokens, or not at all. */
export type AnthropicEffort =
  | { readonly kind: "effort"; readonly level: "low" | "medium" | "high" | "xhigh" }
  | { readonly kind: "budget"; readonly tokens: number }
  | { readonly kind: "none" };

/** Thinking budgets in tokens for models without the effort parameter. Ours; the API asks for at least 1,024. */
const budgets: Record<Effort, number> = { minimal: 1_024, low: 2_048, medium: 8_192, high: 16_384, xhigh: 32_768 };

/**
 * Claude 4.6 and later take `output_config.effort` with adaptive thinking, `xhigh` since 4.7; 3.7 to 4.5 take a thinking budget; earlier
 * models and unknown names take nothing. The budget leaves at least a fifth of the output to the answer.
 * Source: platform.claude.com, "Effort" and "Adaptive thinking" (2026).
 */
export function anthropicEffort(model: string, effort: Effort, maxOutputTokens: number): AnthropicEffort {
  const version = claudeVersion(model);
  if (version === undefined || version < 3.07) return { kind: "none" };
  if (version >= 4.06) {
    if (effort === "minimal") return { kind: "effort", level: "low" };
    return { kind: "effort", level: effort === "xhigh" && version < 4.07 ? "high" : effort };
  }
  const tokens = Math.min(budgets[effort], Math.floor(maxOutputTokens * 0.8));
  return tokens < 1_024 ? { kind: "none" } : { kind: "budget", tokens };
}

/** `claude-opus-4-6` → 4.06, `claude-3-7-sonnet-20250219` → 3.07, `claude-sonnet-5` → 5; undefined for other names. */
function claudeVersion(model: string): number | undefined {
  const match = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?=$|[-@:])/.exec(model);
  return match === null ? undefined : Number(match[1]) + Number(match[2] ?? 0) / 100;
}

/**
 * The value of `reasoning_effort` for a model on the OpenAI wire, or undefined for a model that has no such parameter (gpt-4, most local
 * ones), to which nothing is sent. Values that a generation does not know become their neighbour.
 * Source: developers.openai.com, the models' pages (2026).
 */
export function openAiEffort(model: string, effort: Effort): Effort | undefined {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  if (/^gpt-oss|^o\d/.test(name)) return effort === "minimal" ? "low" : effort === "xhigh" ? "high" : effort;
  const gpt = /^gpt-(\d+)(?:\.(\d+))?/.exec(name);
  if (gpt !== null) {
    const version = Number(gpt[1]) + Number(gpt[2] ?? 0) / 100;
    if (version < 5) return undefined;
    if (effort === "minimal" && version >= 5.01) return "low";
    return effort === "xhigh" && version < 5.02 ? "high" : effort;
  }
  // Compatible servers and routers: families that are known to reason. Others can be sent it with `extra: {reasoning_effort: …}`.
  if (/^claude|^deepseek-r|^grok-[3-9]|^qwen3|^qwq|thinking|reason/.test(name)) {
    return effort === "minimal" ? "low" : effort === "xhigh" ? "high" : effort;
  }
  return undefined;
}

/** Whether asking `provider/name` for effort changes anything: for middleware that would otherwise set it in vain. */
export function takesEffort(model: string): boolean {
  const name = model.slice(model.indexOf("/") + 1);
  return model.startsWith("anthropic/") ? anthropicEffort(name, "high", 4_096).kind !== "none" : openAiEffort(name, "high") !== undefined;
}
