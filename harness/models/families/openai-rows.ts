import type { ModelRow, Price } from "../../contract/model-row.ts";

/*
 * Sources. oai7: npm openai 7.57.0, types. aio: npm @ai-sdk/openai 4.0.118 `src/openai-model-catalog.ts`. pi: npm @earendil-works/pi-ai 1.5.2. lit: PyPI
 * litellm 1.110.2 `model_prices_and_context_window_backup.json`. OD: developers.openai.com/api/docs. Prices: lit, pi and the models' pages, standard tier.
 */
const over272k = { above: 272_000, input: 2, output: 1.5 } as const;
const price = (
  input: number,
  cached: number,
  cacheWrite: number | undefined,
  output: number,
  long?: typeof over272k,
): Pick<ModelRow, "price" | "priceOf"> => ({
  price: { input, output, cached, ...(cacheWrite === undefined ? {} : { cacheWrite }), ...(long ? { long } : {}) } satisfies Price,
  priceOf: "2026-11",
});

const plain = { wire: "chat", sampling: "always", effort: [], forcedTools: true, history: "free" } as const;
const reasoning = { wire: "chat", sampling: "never", forcedTools: true, history: "free" } as const;
const gpt4o = { ...plain, context: 128_000, output: 16_384, source: "aio, pi, lit" } as const;
const gpt41 = { ...plain, context: 1_047_576, output: 32_768, source: "aio, pi, lit" } as const;
const oSeries = {
  ...reasoning,
  context: 200_000,
  output: 100_000,
  effort: ["low", "medium", "high"],
  defaultEffort: "medium",
  source: "oai7, aio, pi",
} as const;
const gpt5 = {
  ...reasoning,
  context: 400_000,
  output: 128_000,
  effort: ["minimal", "low", "medium", "high"],
  defaultEffort: "medium",
  source: "aio, pi, lit",
} as const;
const gpt51 = {
  ...gpt5,
  sampling: "without reasoning",
  effort: ["none", "low", "medium", "high"],
  defaultEffort: "none",
  source: "aio, pi, BerriAI/litellm#17011",
} as const;
const gpt52 = { ...gpt51, effort: ["none", "low", "medium", "high", "xhigh"], source: "aio, pi, langchain-ai/langchain#35424" } as const;
const codex = {
  ...reasoning,
  wire: "responses",
  context: 400_000,
  output: 128_000,
  effort: ["low", "medium", "high"],
  source: "aio, lit; effort values of the older ones not confirmed",
} as const;
const gpt54 = {
  ...gpt52,
  wire: "responses",
  chatTools: "none",
  context: 1_050_000,
  source: "OD:models/gpt-5.4, pipecat-ai/pipecat#4043, openai/openai-openapi#541",
} as const;
const gpt55 = { ...gpt54, defaultEffort: "medium", source: "OD:guides/latest-model, pi, lit; one table gives none as default" } as const;
const gpt56 = {
  ...gpt55,
  effort: ["none", "low", "medium", "high", "xhigh", "max"],
  source: "OD:guides/latest-model, BerriAI/litellm#34569, danny-avila/LibreChat#14355",
} as const;
const gpt6 = { ...gpt56, source: "OD:models/gpt-6-sol, OD:models/gpt-6-luna, onyx-dot-app/onyx#15008" } as const;
const always6 = {
  ...reasoning,
  wire: "responses",
  context: 1_050_000,
  output: 128_000,
  effort: ["low", "medium", "high", "xhigh", "max"],
  defaultEffort: "medium",
  source: "OD:guides/deployment-checklist, OD:models/gpt-6-astra, docs.apiyi.com",
} as const;
const gpt62 = {
  ...always6,
  history: "drops reasoning",
  source: "OD:guides/latest-model/gpt-6.2-astra, OD:guides/keep-prefix-unchanged, oai7; default effort not stated",
} as const;
const pro = { ...reasoning, wire: "responses", context: 400_000, output: 128_000, source: "aio, pi, lit" } as const;

/** OpenAI's models by name. */
export const openAiRows = {
  "gpt-4o": { ...gpt4o, ...price(2.5, 1.25, undefined, 10) },
  "gpt-4o-mini": { ...gpt4o, ...price(0.15, 0.075, undefined, 0.6) },
  "gpt-4.1": { ...gpt41, ...price(2, 0.5, undefined, 8) },
  "gpt-4.1-mini": { ...gpt41, ...price(0.4, 0.1, undefined, 1.6) },
  "gpt-4.1-nano": { ...gpt41, ...price(0.1, 0.025, undefined, 0.4) },
  o1: oSeries,
  o3: { ...oSeries, ...price(2, 0.5, undefined, 8) },
  "o3-mini": oSeries,
  "o4-mini": { ...oSeries, ...price(1.1, 0.275, undefined, 4.4) },
  "o1-pro": { ...oSeries, wire: "responses", source: "oai7 ResponsesModel, pi, lit" },
  "o3-pro": { ...oSeries, wire: "responses", source: "oai7 ResponsesModel, pi, lit" },
  "gpt-5": { ...gpt5, ...price(1.25, 0.125, undefined, 10) },
  "gpt-5-mini": { ...gpt5, ...price(0.25, 0.025, undefined, 2) },
  "gpt-5-nano": { ...gpt5, ...price(0.05, 0.005, undefined, 0.4) },
  "gpt-5-pro": { ...pro, effort: ["high"], defaultEffort: "high", ...price(15, 15, undefined, 120) },
  "gpt-5-codex": { ...codex, ...price(1.25, 0.125, undefined, 10) },
  "gpt-5.1-codex": { ...codex, ...price(1.25, 0.125, undefined, 10) },
  "gpt-5.1-codex-mini": codex,
  "gpt-5.1-codex-max": codex,
  "gpt-5.2-codex": codex,
  "gpt-5.3-codex": { ...codex, effort: ["low", "medium", "high", "xhigh"], ...price(1.75, 0.175, undefined, 14) },
  "gpt-5.1": { ...gpt51, ...price(1.25, 0.125, undefined, 10) },
  "gpt-5.2": { ...gpt52, ...price(1.75, 0.175, undefined, 14) },
  "gpt-5.2-pro": { ...pro, effort: ["medium", "high", "xhigh"], ...price(21, 21, undefined, 168) },
  "gpt-5.4": { ...gpt54, ...price(2.5, 0.25, undefined, 15, over272k) },
  "gpt-5.4-mini": { ...gpt54, context: 400_000, ...price(0.75, 0.075, undefined, 4.5) },
  "gpt-5.4-nano": { ...gpt54, context: 400_000, ...price(0.2, 0.02, undefined, 1.25) },
  "gpt-5.4-pro": { ...pro, context: 1_050_000, effort: ["medium", "high", "xhigh"], ...price(30, 30, undefined, 180, over272k) },
  "gpt-5.5": { ...gpt55, ...price(5, 0.5, undefined, 30, over272k) },
  "gpt-5.5-pro": {
    ...pro,
    context: 1_050_000,
    effort: ["medium", "high", "xhigh"],
    defaultEffort: "high",
    source: "OD:models/gpt-5.5-pro, oai7, lit",
    ...price(30, 30, undefined, 180, over272k),
  },
  "gpt-5.6": { ...gpt56, ...price(4, 0.4, 5, 20, over272k) },
  "gpt-5.6-sol": { ...gpt56, ...price(4, 0.4, 5, 20, over272k) },
  "gpt-5.6-terra": { ...gpt56, ...price(2, 0.2, 2.5, 12, over272k) },
  "gpt-5.6-luna": { ...gpt56, ...price(0.2, 0.02, 0.25, 1.2, over272k) },
  "gpt-6-sol": { ...gpt6, ...price(2, 0.2, 2.5, 10, over272k) },
  "gpt-6-luna": { ...gpt6, ...price(0.1, 0.01, 0.125, 0.5, over272k) },
  "gpt-6.1-terra": { ...gpt6, ...price(1, 0.05, 1.25, 5, over272k) },
  "gpt-6-astra": { ...always6, ...price(10, 1, 12.5, 50, over272k) },
  "gpt-6.1-sol": { ...always6, ...price(2, 0.1, 2.5, 10, over272k) },
  "gpt-6.2-astra": { ...gpt62, ...price(8, 0.4, undefined, 40, over272k) },
  "gpt-6.2-sol": { ...gpt62, ...price(2, 0.1, 2.5, 10, over272k) },
} satisfies Readonly<Record<string, ModelRow>>;
