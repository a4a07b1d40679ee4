import OpenAI from "openai";
import { cappedFetch } from "./capped-fetch.ts";
import { defaultIdleMs, type ProviderOptions } from "./provider-options.ts";
import { unlistError } from "./unlist-error.ts";

/** The SDK's client for OpenAI's API or a server that speaks it, without its retries and its notes to the terminal. */
export const openAiClient = (o: ProviderOptions): OpenAI =>
  new OpenAI({
    apiKey: o.apiKey,
    organization: null,
    project: null,
    baseURL: o.baseUrl ?? o.home ?? "https://api.openai.com/v1",
    ...(o.authorization === undefined ? {} : { defaultHeaders: { authorization: o.authorization } }),
    maxRetries: 0,
    timeout: o.idleMs ?? defaultIdleMs,
    logLevel: "off",
    fetch: unlistError(cappedFetch(`${o.provider}/${o.name}`)),
  });
