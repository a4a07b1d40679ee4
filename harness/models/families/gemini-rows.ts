import type { ModelRow, Price } from "../../contract/model-row.ts";

/*
 * Sources. GD: ai.google.dev/gemini-api/docs. pi: npm @earendil-works/pi-ai 1.5.2 `dist/providers/data/google.json`. lit: PyPI litellm 1.110.2
 * `model_prices_and_context_window_backup.json`. Prices: GD:pricing by way of pi and lit, standard tier; a requested cache is charged by the hour besides.
 */
const over200k = { above: 200_000, input: 2, output: 1.5 } as const;
const price = (input: number, cached: number, output: number, long?: Price["long"]): Pick<ModelRow, "price" | "priceOf"> => ({
  price: { input, output, cached, ...(long ? { long } : {}) },
  priceOf: "2026-11",
});

const gemini = {
  wire: "chat",
  sampling: "always",
  context: 1_048_576,
  output: 65_536,
  effort: ["low", "medium", "high"],
  thinksUnasked: true,
  forcedTools: true,
  history: "free",
  source: "GD:openai, pi, lit",
} as const;
const withMinimal = { ...gemini, effort: ["minimal", "low", "medium", "high"] } as const;
/** From 3.6 on sampling is taken and ignored. */
const unsampled = { ...gemini, sampling: "never" } as const;

/** Google's Gemini models by name, as their OpenAI-compatible endpoint takes them. */
export const geminiRows = {
  "gemini-4-argon": { ...unsampled, output: 32_768, source: "pi; lit gives another longest output", ...price(2, 0.1, 10) },
  "gemini-3.8-flash": { ...unsampled, ...price(0.75, 0.075, 3.75) },
  "gemini-3.7-flash": { ...unsampled, ...price(0.75, 0.075, 3.75) },
  "gemini-3.6-flash": { ...unsampled, effort: ["minimal", "low", "medium", "high"], ...price(0.75, 0.075, 3.75) },
  "gemini-3.5-flash": {
    ...withMinimal,
    defaultEffort: "medium",
    source: "GD:openai, Developer's guide to Gemini 3.5 Flash, pi, lit",
    ...price(1.5, 0.15, 9),
  },
  "gemini-3.5-flash-lite": { ...withMinimal, ...price(0.3, 0.03, 2.5) },
  "gemini-3.1-pro-preview": {
    ...gemini,
    defaultEffort: "high",
    source: "GD:openai, Developer's guide to Gemini 3.5 Flash, pi, lit",
    ...price(2, 0.2, 12, over200k),
  },
  "gemini-3.1-flash-lite": {
    ...withMinimal,
    defaultEffort: "minimal",
    source: "GD:openai, Developer's guide to Gemini 3.5 Flash, pi, lit",
    ...price(0.25, 0.025, 1.5),
  },
  "gemini-3-flash-preview": { ...withMinimal, ...price(0.5, 0.05, 3) },
  "gemini-2.5-pro": { ...withMinimal, ...price(1.25, 0.125, 10, over200k) },
  "gemini-2.5-flash": { ...withMinimal, effort: ["none", "minimal", "low", "medium", "high"], ...price(0.3, 0.03, 2.5) },
  "gemini-2.5-flash-lite": { ...withMinimal, thinksUnasked: false, ...price(0.1, 0.01, 0.4) },
} satisfies Readonly<Record<string, ModelRow>>;
