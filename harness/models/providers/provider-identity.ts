import type { ModelIdentity } from "../../contract/ports.ts";
import type { Price } from "../../contract/model-row.ts";
import { priceOf, priceTableVersion } from "../families/find-row.ts";
import type { ProviderOptions } from "./provider-options.ts";

/** What a provider's model is called and costs. A server of one's own has the price that the user states, or none. */
export function providerIdentity(o: ProviderOptions): { identity: ModelIdentity; price: Price | undefined } {
  const table = o.baseUrl === undefined ? priceOf(o.provider, o.name) : undefined;
  const price = o.row?.price ?? table;
  const identity: ModelIdentity = {
    provider: o.provider,
    name: o.name,
    protocol: "native",
    ...(o.contextTokens === undefined ? {} : { contextTokens: o.contextTokens }),
    ...(o.extra === undefined ? {} : { extra: o.extra }),
    priceTable: o.row?.price ? `own: ${o.row.price.input},${o.row.price.output}` : table === undefined ? null : priceTableVersion,
  };
  return { identity, price };
}
