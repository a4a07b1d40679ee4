import type { Usage } from "../../contract/messages.ts";
import type { Price } from "../../contract/model-row.ts";

/** USD for one call; null where the price is unknown, never 0. */
export function costOf(usage: Usage, price: Price | undefined): number | null {
  if (price === undefined) return null;
  const long = price.long !== undefined && usage.input > price.long.above ? price.long : { input: 1, output: 1 };
  const written = usage.cacheWrite ?? 0;
  const fresh = Math.max(0, usage.input - usage.cached - written);
  const input = fresh * price.input + usage.cached * price.cached + written * (price.cacheWrite ?? price.input);
  return (input * long.input + usage.output * price.output * long.output) / 1_000_000;
}
