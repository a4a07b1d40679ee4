import { cappedFetch } from "./capped-fetch.ts";
import { defaultIdleMs, type ProviderOptions } from "../provider-options.ts";

/** What every SDK's client is made with: no retry and no word of its own, and no more read than a reply may have. */
export const clientOptions = (o: ProviderOptions) => ({
  maxRetries: 0,
  timeout: o.idleMs ?? defaultIdleMs,
  logLevel: "off" as const,
  fetch: cappedFetch(`${o.provider}/${o.name}`),
  defaultHeaders: o.authorization === undefined ? {} : { authorization: o.authorization },
});
