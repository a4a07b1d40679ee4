import type { Effort, ModelRow } from "../../contract/model-row.ts";
import { nearestEffort } from "../families/find-row.ts";

/** How an Anthropic model is asked for effort: its own parameter, a thinking budget in tokens, no thinking, or not at all. */
export type AnthropicEffort =
  | { readonly kind: "effort"; readonly level: Effort }
  | { readonly kind: "budget"; readonly tokens: number }
  | { readonly kind: "disabled" }
  | { readonly kind: "none" };

/** Thinking budgets in tokens for models without the effort parameter. Ours; the API asks for at least 1,024. */
const budgets: Partial<Record<Effort, number>> = { minimal: 1_024, low: 2_048, medium: 8_192, high: 16_384, xhigh: 32_768 };

/**
 * Effort as this model's row says it is sent. A budget leaves at least a fifth of the output to the answer. A model without a row gets what is
 * asked, word for word, with adaptive thinking. Source: platform.claude.com, "Effort", "Extended thinking" and "Adaptive thinking" (2026).
 */
export function anthropicEffort(row: ModelRow | undefined, effort: Effort, maxOutputTokens: number): AnthropicEffort {
  if (row?.effort === undefined) return effort === "none" ? { kind: "disabled" } : { kind: "effort", level: effort };
  if (effort === "none" && row.thinking?.includes("disabled")) return { kind: row.thinksUnasked ? "disabled" : "none" };
  const level = nearestEffort(row.effort, effort);
  if (level === undefined || level === "none") return { kind: "none" };
  if (row.effortBy !== "budget") return { kind: "effort", level };
  const tokens = Math.min(budgets[level] ?? 1_024, Math.floor(maxOutputTokens * 0.8));
  return tokens < 1_024 ? { kind: "none" } : { kind: "budget", tokens };
}

/** The effort's value on OpenAI's wires, or undefined for a model that has no such parameter. A model without a row gets what is asked. */
export const openAiEffort = (row: ModelRow | undefined, effort: Effort): Effort | undefined =>
  row?.effort === undefined ? effort : nearestEffort(row.effort, effort);

/**
 * What of these efforts makes no difference to the model: one sentence each, for people, before anything runs. An arm whose effort is sent as another's
 * is the other arm.
 */
export function effortNotes(model: string, row: ModelRow | undefined, efforts: readonly Effort[], maxOutputTokens: number): string[] {
  if (row?.effort === undefined) return [];
  const asked = [...new Set(efforts)];
  const lost = row.chatTools === undefined || row.wire === "responses" ? [] : asked.filter((effort) => effort !== row.chatTools);
  if (lost.length > 0)
    return [`${model} takes tools on Chat Completions with effort ${row.chatTools} alone: ${lost.join(", ")} is sent as ${row.chatTools}.`];
  const unlike = row.effort.filter((effort) => effort !== "none");
  if (unlike.length === 0) return asked.length > 0 ? [`${model} has no effort parameter: ${asked.join(", ")} changes nothing.`] : [];
  const ways = new Map<string, Effort[]>();
  for (const effort of asked) {
    const way = wordsOf(row, effort, maxOutputTokens);
    ways.set(way, [...(ways.get(way) ?? []), effort]);
  }
  return [...ways].flatMap(([way, same]) =>
    same.length > 1
      ? [`${model}: efforts ${same.join(" and ")} are the same, ${way}.`]
      : same[0] === way || way.startsWith("a budget")
        ? []
        : [`${model}: effort ${same[0]} is sent as ${way}.`],
  );
}

function wordsOf(row: ModelRow, effort: Effort, maxOutputTokens: number): string {
  if (row.wire !== "messages") return openAiEffort(row, effort) ?? "nothing";
  const way = anthropicEffort(row, effort, maxOutputTokens);
  if (way.kind === "effort") return way.level;
  if (way.kind === "budget") return `a budget of ${way.tokens} thinking tokens`;
  return effort === "none" ? "none" : "no thinking";
}
