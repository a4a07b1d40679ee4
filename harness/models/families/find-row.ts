import { type Effort, effortSchema, type ModelRow, type Price } from "../../contract/model-row.ts";
import type { ResolvedModel } from "../../contract/resolved-config.ts";
import { anthropicRows } from "./anthropic-rows.ts";
import { bedrockRow, vertexRow } from "./cloud-rows.ts";
import { findRow, type Rows } from "./dated-name.ts";
import { geminiRows } from "./gemini-rows.ts";
import { openAiRows } from "./openai-rows.ts";

/** Raised whenever a figure of the table changes: a trace names the table its costs come from. */
export const priceTableVersion = "2026-11-25";

/** Providers that serve a table's models themselves: their names are looked up exactly, and their prices hold. */
const own: Readonly<Record<string, Rows>> = { anthropic: anthropicRows, openai: openAiRows, gemini: geminiRows };
/** Clouds that name another's models in their own way, or, as Azure's deployments, as the user likes. */
const clouds: Readonly<Record<string, (name: string) => ModelRow | undefined>> = {
  bedrock: bedrockRow,
  vertex: vertexRow,
  azure: () => undefined,
};

/** Families of open models on compatible servers that take `reasoning_effort`. Source: vLLM, Ollama and OpenRouter documentation; values that all of them take. */
const openFamilies = /^gpt-oss|^deepseek-r|^grok-[3-9]|^qwen3|^qwq|thinking|reason/;
const openRow: ModelRow = {
  wire: "chat",
  sampling: "always",
  effort: ["low", "medium", "high"],
  source: "vLLM, Ollama and OpenRouter documentation",
};

/**
 * What is known of `provider/name`. Of a model behind a router or a compatible server only what belongs to the model itself: not its wire, its
 * price or its limits, which are the server's. undefined: nothing is known, and what is configured is sent as it is. `added`: a user's row, over ours.
 */
export function rowOf(model: string, added?: ModelRow): ModelRow | undefined {
  const slash = model.indexOf("/");
  const provider = model.slice(0, slash);
  const rows = Object.hasOwn(own, provider) ? own[provider] : undefined;
  const name = model.slice(slash + 1);
  const cloud = Object.hasOwn(clouds, provider) ? clouds[provider] : undefined;
  const known = cloud !== undefined ? cloud(name) : rows === undefined ? rowElsewhere(name) : findRow(rows, name);
  return known === undefined ? added : { ...known, ...added };
}

/** Whether asking `provider/name` for effort changes anything: for middleware that would otherwise set it in vain. */
export const takesEffort = (model: Pick<ResolvedModel, "name" | "row">): boolean =>
  (rowOf(model.name, model.row)?.effort ?? []).some((effort: Effort) => effort !== "none");

/** USD for a provider's own model, or undefined where the table does not know it. */
export const priceOf = (provider: string, name: string): Price | undefined =>
  Object.hasOwn(own, provider) || Object.hasOwn(clouds, provider) ? rowOf(`${provider}/${name}`)?.price : undefined;

/** Every row with its name, for people. */
export const allRows = (): readonly (readonly [string, ModelRow])[] =>
  Object.entries(own).flatMap(([provider, rows]) => Object.entries(rows).map(([name, row]) => [`${provider}/${name}`, row] as const));

function rowElsewhere(name: string): ModelRow | undefined {
  const bare = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  const found = findRow(openAiRows, bare) ?? findRow(anthropicRows, bare.replaceAll(".", "-")) ?? findRow(geminiRows, bare);
  // Routers map effort to what each provider takes: three words are understood by all of them.
  if (found !== undefined) {
    const { effort = [], source } = found;
    return {
      wire: "chat",
      effort: effort.length === 0 ? [] : effort.filter((one) => one !== "max" && one !== "none"),
      ...(source ? { source } : {}),
    };
  }
  return openFamilies.test(bare) || bare.startsWith("claude") ? openRow : undefined;
}

const levels = effortSchema.options;

/** The value that a model takes for `effort`: itself, else the nearest below it, else the lowest; `none` stands for nothing but itself. */
export function nearestEffort(values: readonly Effort[], effort: Effort): Effort | undefined {
  if (values.includes(effort)) return effort;
  const at = levels.indexOf(effort);
  const thinking = levels.filter((level) => level !== "none" && values.includes(level));
  return thinking.findLast((level) => levels.indexOf(level) < at) ?? thinking[0] ?? values[0];
}
