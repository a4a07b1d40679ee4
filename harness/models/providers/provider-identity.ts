import type { ModelIdentity } from "../../contract/ports.ts";
import { priceTableVersion } from "../prices/price-table.ts";
import { priceOf } from "../prices/price-of-call.ts";
import type { ProviderOptions } from "./provider-options.ts";

/** What a provider's model is called and costs. A server of one's own has no price. */
export function providerIdentity(o: ProviderOptions): { identity: ModelIdentity; price: ReturnType<typeof priceOf> } {
  const price = o.baseUrl === undefined ? priceOf(o.provider, o.name) : undefined;
  const identity: ModelIdentity = {
    provider: o.provider,
    name: o.name,
    protocol: "native",
    ...(o.contextTokens === undefined ? {} : { contextTokens: o.contextTokens }),
    ...(o.extra === undefined ? {} : { extra: o.extra }),
    priceTable: price === undefined ? null : priceTableVersion,
  };
  return { identity, price };
}
