/** USD per million tokens. `cached` is input read from the provider's cache, `cacheWrite` input written to it (kept for five minutes). */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  /** Left out: written tokens cost what input costs. */
  readonly cacheWrite?: number;
  /** Whole requests with more input tokens than `above` cost these multiples. */
  readonly long?: { readonly above: number; readonly input: number; readonly output: number };
}

/** Raised whenever a figure changes: a trace names the table its costs come from. */
export const priceTableVersion = "2026-11";

/** Source: platform.claude.com/docs/en/about-claude/pricing and the models' pages, as of November 2026; five-minute cache writes. */
const anthropic: Readonly<Record<string, Price>> = {
  "claude-fable-5-1": { input: 10, output: 50, cached: 0.25, cacheWrite: 12.5 },
  "claude-fable-5": { input: 10, output: 50, cached: 1, cacheWrite: 12.5 },
  "claude-opus-5-5": { input: 4, output: 20, cached: 0.2, cacheWrite: 5 },
  "claude-opus-5": { input: 5, output: 25, cached: 0.5, cacheWrite: 6.25 },
  "claude-opus-4-8": { input: 5, output: 25, cached: 0.5, cacheWrite: 6.25 },
  "claude-opus-4-7": { input: 5, output: 25, cached: 0.5, cacheWrite: 6.25 },
  "claude-opus-4-6": { input: 5, output: 25, cached: 0.5, cacheWrite: 6.25 },
  "claude-opus-4-5": { input: 5, output: 25, cached: 0.5, cacheWrite: 6.25 },
  "claude-opus-4-1": { input: 15, output: 75, cached: 1.5, cacheWrite: 18.75 },
  "claude-sonnet-5-5": { input: 2, output: 10, cached: 0.1, cacheWrite: 2.5 },
  "claude-sonnet-5": { input: 2, output: 10, cached: 0.2, cacheWrite: 2.5 },
  "claude-sonnet-4-6": { input: 3, output: 15, cached: 0.3, cacheWrite: 3.75 },
  "claude-sonnet-4-5": { input: 3, output: 15, cached: 0.3, cacheWrite: 3.75 },
  "claude-haiku-5-5": { input: 0.1, output: 0.5, cached: 0.01, cacheWrite: 0.125, long: { above: 100_000, input: 5, output: 5 } },
  "claude-haiku-4-5": { input: 1, output: 5, cached: 0.1, cacheWrite: 1.25 },
};

const over272k = { above: 272_000, input: 2, output: 1.5 } as const;

/** Source: developers.openai.com/api/docs/pricing and the models' pages, as of November 2026; standard tier. */
const openai: Readonly<Record<string, Price>> = {
  "gpt-6.1-sol": { input: 2, output: 10, cached: 0.1, long: over272k },
  "gpt-6.1-terra": { input: 1, output: 5, cached: 0.05, cacheWrite: 1.25, long: over272k },
  "gpt-6-astra": { input: 10, output: 50, cached: 1, cacheWrite: 12.5, long: over272k },
  "gpt-6-sol": { input: 2, output: 10, cached: 0.2, cacheWrite: 2.5, long: over272k },
  "gpt-6-luna": { input: 0.1, output: 0.5, cached: 0.01, cacheWrite: 0.125, long: over272k },
  "gpt-5.6-sol": { input: 4, output: 20, cached: 0.4, cacheWrite: 5, long: over272k },
  "gpt-5.6": { input: 4, output: 20, cached: 0.4, cacheWrite: 5, long: over272k },
  "gpt-5.6-terra": { input: 2, output: 12, cached: 0.2, cacheWrite: 2.5, long: over272k },
  "gpt-5.6-luna": { input: 0.2, output: 1.2, cached: 0.02, cacheWrite: 0.25, long: over272k },
  "gpt-5.5": { input: 5, output: 30, cached: 0.5, long: over272k },
  "gpt-5.4": { input: 2.5, output: 15, cached: 0.25, long: over272k },
  "gpt-5.4-mini": { input: 0.75, output: 4.5, cached: 0.075 },
  "gpt-5.4-nano": { input: 0.2, output: 1.25, cached: 0.02 },
  "gpt-5.2": { input: 1.75, output: 14, cached: 0.175 },
  "gpt-5.1": { input: 1.25, output: 10, cached: 0.125 },
  "gpt-5": { input: 1.25, output: 10, cached: 0.125 },
  "gpt-5-mini": { input: 0.25, output: 2, cached: 0.025 },
  "gpt-5-nano": { input: 0.05, output: 0.4, cached: 0.005 },
  "gpt-4.1": { input: 2, output: 8, cached: 0.5 },
  "gpt-4.1-mini": { input: 0.4, output: 1.6, cached: 0.1 },
  "gpt-4.1-nano": { input: 0.1, output: 0.4, cached: 0.025 },
  "gpt-4o": { input: 2.5, output: 10, cached: 1.25 },
  "gpt-4o-mini": { input: 0.15, output: 0.6, cached: 0.075 },
  o3: { input: 2, output: 8, cached: 0.5 },
  "o4-mini": { input: 1.1, output: 4.4, cached: 0.275 },
};

export const priceTable: Readonly<Record<string, Readonly<Record<string, Price>>>> = { anthropic, openai };
