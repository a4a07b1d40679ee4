import { AzureOpenAI } from "openai";
import { ConfigError } from "../../../errors.ts";
import { unlistError } from "./unlist-error.ts";
import { clientOptions } from "./client-options.ts";
import type { ProviderOptions } from "../provider-options.ts";

/**
 * A deployment on Azure OpenAI: the name behind `azure/` is the deployment's. Throws `ConfigError` where endpoint, key or version are missing. A server of
 * one's own, named by the configuration, may need no key: `isOwnServer`.
 */
export function connectAzure(
  o: ProviderOptions & { readonly isOwnServer: boolean },
  env: Readonly<Record<string, string | undefined>>,
): AzureOpenAI {
  const model = `${o.provider}/${o.name}`;
  if (o.baseUrl === undefined)
    throw new ConfigError(
      `model.name: ${model} needs its resource's address, and AZURE_OPENAI_ENDPOINT is not set; export AZURE_OPENAI_ENDPOINT=https://RESOURCE.openai.azure.com.`,
    );
  if (o.apiKey === "none" && !o.isOwnServer)
    throw new ConfigError(`model.name: ${model} needs a key, and AZURE_OPENAI_API_KEY is not set; export AZURE_OPENAI_API_KEY=….`);
  const apiVersion = env["OPENAI_API_VERSION"] || undefined;
  if (apiVersion === undefined)
    throw new ConfigError(
      `model.name: ${model} needs the API's version, and OPENAI_API_VERSION is not set; export OPENAI_API_VERSION=2025-04-01-preview, or the one of your deployment.`,
    );
  const common = clientOptions(o);
  return new AzureOpenAI({
    ...common,
    fetch: unlistError(common.fetch),
    baseURL: `${o.baseUrl.replace(/\/+$/, "")}/openai`,
    apiKey: o.apiKey,
    apiVersion,
    organization: null,
    project: null,
  });
}
