import type { ModelRow, Price } from "../../contract/model-row.ts";

/*
 * Sources. CD: platform.claude.com/docs/en. aia: npm @ai-sdk/anthropic 4.0.105 `src/anthropic-model-catalog.ts`; where it accepts what the vendor's pages
 * refuse, the pages hold. ant1: npm @anthropic-ai/sdk 1.13.0. Prices: CD:about-claude/pricing; writes are those kept for five minutes.
 */
const price = (
  input: number,
  cached: number,
  cacheWrite: number,
  output: number,
  long?: Price["long"],
): Pick<ModelRow, "price" | "priceOf"> => ({
  price: { input, output, cached, cacheWrite, ...(long ? { long } : {}) },
  priceOf: "2026-11",
});

const claude = { wire: "messages", sampling: "never", forcedTools: true, history: "free" } as const;
const large = {
  ...claude,
  context: 1_000_000,
  output: 128_000,
  effort: ["low", "medium", "high", "xhigh", "max"],
  defaultEffort: "high",
} as const;
/** Thinks always; from these on an edited history is refused. */
const preserved = { ...large, thinking: ["adaptive"], thinksUnasked: true, forcedTools: false, history: "frozen" } as const;
const fable51 = { ...preserved, source: "CD:models/fable-5-2/whats-new, aia" } as const;
const fable5 = {
  ...preserved,
  history: "free",
  source: "CD:build-with-claude/thinking-troubleshooting, aia, Yeachan-Heo/gajae-code#480 (forced tools)",
} as const;
const opus5 = {
  ...large,
  thinking: ["adaptive", "disabled"],
  thinksUnasked: true,
  source: "CD:build-with-claude/thinking-troubleshooting, aia",
} as const;
const opus47 = { ...opus5, thinksUnasked: false } as const;
const claude46 = {
  ...large,
  thinking: ["adaptive", "enabled", "disabled"],
  thinksUnasked: false,
  effort: ["low", "medium", "high", "max"],
  source: "CD:build-with-claude/effort, CD:build-with-claude/thinking-troubleshooting",
} as const;
/** Effort is a thinking budget: low, medium and so on are Forge's names for amounts of tokens. */
const budgets = {
  ...claude,
  context: 200_000,
  output: 64_000,
  thinking: ["enabled", "disabled"],
  thinksUnasked: false,
  effort: ["none", "minimal", "low", "medium", "high", "xhigh"],
  defaultEffort: "none",
  effortBy: "budget",
  source: "CD:build-with-claude/extended-thinking, ant1 deprecations",
} as const;
const unthinking = {
  ...claude,
  context: 200_000,
  output: 8_192,
  thinksUnasked: false,
  thinking: [],
  effort: [],
  source: "CD:about-claude/model-deprecations",
} as const;
const old = {
  ...budgets,
  output: 32_000,
  source: "CD:about-claude/model-deprecations: retired on Anthropic's API, some remain on Bedrock and Vertex",
} as const;

/** Anthropic's models by name. */
export const anthropicRows = {
  "claude-fable-5-2": { ...fable51, ...price(8, 0.2, 10, 40) },
  "claude-fable-5-1": { ...fable51, ...price(10, 0.25, 12.5, 50) },
  "claude-fable-5": { ...fable5, ...price(10, 1, 12.5, 50) },
  "claude-mythos-5": fable5,
  "claude-opus-5-5": {
    ...preserved,
    defaultEffort: "medium",
    source: "CD:models/opus-5-5/whats-new, aia, vercel/ai#21364",
    ...price(4, 0.2, 5, 20),
  },
  "claude-sonnet-5-5": { ...preserved, source: "CD: what's new in Sonnet 5.5, aia", ...price(2, 0.1, 2.5, 10) },
  "claude-haiku-5-5": {
    ...opus5,
    defaultEffort: "medium",
    source: "CD: what's new in Haiku 5.5, aia",
    ...price(0.1, 0.01, 0.125, 0.5, { above: 100_000, input: 5, output: 5 }),
  },
  "claude-opus-5": { ...opus5, ...price(5, 0.5, 6.25, 25) },
  "claude-sonnet-5": { ...opus5, ...price(2, 0.2, 2.5, 10) },
  "claude-opus-4-8": { ...opus47, ...price(5, 0.5, 6.25, 25) },
  "claude-opus-4-7": { ...opus47, ...price(5, 0.5, 6.25, 25) },
  "claude-opus-4-6": { ...claude46, ...price(5, 0.5, 6.25, 25) },
  "claude-sonnet-4-6": { ...claude46, ...price(3, 0.3, 3.75, 15) },
  "claude-opus-4-5": { ...budgets, ...price(5, 0.5, 6.25, 25) },
  "claude-sonnet-4-5": { ...budgets, ...price(3, 0.3, 3.75, 15) },
  "claude-haiku-4-5": { ...budgets, ...price(1, 0.1, 1.25, 5) },
  "claude-opus-4-1": { ...old, ...price(15, 1.5, 18.75, 75) },
  "claude-opus-4": old,
  "claude-sonnet-4": { ...old, output: 64_000 },
  "claude-3-7-sonnet": { ...old, output: 64_000 },
  "claude-3-5-sonnet": unthinking,
  "claude-3-5-haiku": unthinking,
} satisfies Readonly<Record<string, ModelRow>>;
