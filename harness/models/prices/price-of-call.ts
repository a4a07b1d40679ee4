import type { Usage } from "../../contract/messages.ts";
import { type Price, priceTable } from "./price-table.ts";

/**
 * What a model costs, or undefined where the table does not know it. A dated name (`claude-opus-4-5-20251101`, `gpt-5-2025-08-07`) has
 * its model's price; any other suffix is another model.
 */
export function priceOf(provider: string, name: string): Price | undefined {
  const models = priceTable[provider];
  if (models === undefined) return undefined;
  const undated = name.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");
  return Object.hasOwn(models, undated) ? models[undated] : undefined;
}

/** USD for one call; null where the price is unknown, never 0. */
export function costOf(usage: Usage, price: Price | undefined): number | null {
  if (price === undefined) return null;
  const long = price.long !== undefined && usage.input > price.long.above ? price.long : { input: 1, output: 1 };
  const written = usage.cacheWrite ?? 0;
  const fresh = Math.max(0, usage.input - usage.cached - written);
  const input = fresh * price.input + usage.cached * price.cached + written * (price.cacheWrite ?? price.input);
  return (input * long.input + usage.output * price.output * long.output) / 1_000_000;
}
