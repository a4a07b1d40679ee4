import OpenAI from "openai";
import type { ProviderOptions } from "../provider-options.ts";
import { clientOptions } from "./client-options.ts";
import { unlistError } from "./unlist-error.ts";

/** The SDK's client for OpenAI's API or a server that speaks it. */
export function openAiClient(o: ProviderOptions): OpenAI {
  const common = clientOptions(o);
  return new OpenAI({
    ...common,
    fetch: unlistError(common.fetch),
    apiKey: o.apiKey,
    organization: null,
    project: null,
    baseURL: o.baseUrl ?? o.home ?? "https://api.openai.com/v1",
  });
}
