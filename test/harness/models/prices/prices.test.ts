import { expect, test } from "vitest";
import { allRows, priceOf } from "../../../../harness/models/families/find-row.ts";
import { costOf } from "../../../../harness/models/prices/price-of-call.ts";

test("cached and written tokens are priced as such, the rest as input", () => {
  const price = priceOf("anthropic", "claude-sonnet-4-5-20250929");
  const usage = { input: 1_000_000, output: 100_000, cached: 600_000, cacheWrite: 200_000 };
  // 200k × 3 + 600k × 0.30 + 200k × 3.75 + 100k × 15, a million
  expect(costOf(usage, price)).toBeCloseTo(0.6 + 0.18 + 0.75 + 1.5, 10);
});

test("a request longer than the threshold costs its multiple as a whole", () => {
  const price = priceOf("anthropic", "claude-haiku-5-5");
  expect(costOf({ input: 100_000, output: 1_000, cached: 0 }, price)).toBeCloseTo(0.01 + 0.0005, 10);
  expect(costOf({ input: 100_001, output: 1_000, cached: 0 }, price)).toBeCloseTo(0.0500005 + 0.0025, 10);
});

test("an unknown model costs null, never 0", () => {
  expect(costOf({ input: 1, output: 1, cached: 0 }, undefined)).toBeNull();
  for (const [provider, name] of [
    ["openai", "gpt-5-ultra"],
    ["openai", "constructor"],
    ["ollama", "gpt-5"],
  ] as const) {
    expect(priceOf(provider, name)).toBeUndefined();
  }
});

test("a dated name has its model's price", () => {
  expect(priceOf("openai", "gpt-5-2025-08-07")).toEqual(priceOf("openai", "gpt-5"));
  expect(priceOf("openai", "gpt-5-mini")).not.toEqual(priceOf("openai", "gpt-5"));
});

test("no price is zero, and reading the cache never costs more than input", () => {
  const prices = allRows().flatMap(([, { price }]) => (price ? [price] : []));
  expect(prices.length).toBeGreaterThan(40);
  for (const price of prices) {
    expect(Math.min(price.input, price.output, price.cached)).toBeGreaterThan(0);
    expect(price.cached).toBeLessThanOrEqual(price.input);
  }
});
