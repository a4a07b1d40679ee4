import type { Clock, Model } from "../contract/ports.ts";
import { ConfigError } from "../errors.ts";
import type { AccountGates } from "./rate-limits/account-gates.ts";
import { gatedModel } from "./rate-limits/gated-model.ts";
import type { RefusalMemory } from "./retry/refusal-memory.ts";
import { rowOf } from "./families/find-row.ts";
import { type PlacedModel, withPlaces } from "./retry/with-places.ts";
import { type KnownProvider, knownProviders } from "./providers/known-providers.ts";
import { splitCredentials } from "./providers/clients/split-credentials.ts";
import type { ProviderOptions } from "./providers/provider-options.ts";
import { didYouMean } from "../text/did-you-mean.ts";
import { withTextProtocol } from "./protocols/text.ts";

/**
 * The model that a configuration names, speaking the protocol it names. `env` is the environment's variables, handed in: the keys
 * (`ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `OPENROUTER_API_KEY`, …, else `API_KEY`) and base URLs (`*_BASE_URL`). `simulated` makes the models
 * of `sim/…`. `gate` answers the gate of an account,
 * at which the model's requests wait; left out: nothing holds them back. `refusals` remembers what servers refused, for all models of a job. A provider's SDK is loaded only here, when it is needed.
 * Throws `ConfigError` for an unknown provider, or a key, base URL or package that is missing.
 */
export async function createModel(
  settings: PlacedModel,
  env: Readonly<Record<string, string | undefined>>,
  o: { clock: Clock; simulated?: (name: string) => Model; idleMs?: number; gate?: AccountGates; refusals?: RefusalMemory },
): Promise<Model> {
  const { provider, name } = namesOf(settings.name);
  if (provider === "sim") {
    if (o.simulated === undefined)
      throw new ConfigError(
        `model.name: ${settings.name} is simulated: it plays the plan of a suite's task and can do no other work. Try it with forge bench demo --model ${settings.name}, or name a real model, such as --model anthropic/claude-sonnet-5-5 or ollama/qwen3.`,
      );
    return withProtocol(o.simulated(name), settings.protocol);
  }
  const { known, given, baseUrl, key } = reachModel(settings, env);
  const address = given === undefined ? undefined : splitCredentials(given);
  const options: ProviderOptions = {
    provider,
    name,
    apiKey: key ?? "none",
    ...(address === undefined ? {} : { baseUrl: address.url }),
    ...(known.baseUrl === undefined ? {} : { home: known.baseUrl }),
    ...(known.refusesSeed === true ? { refusesSeed: true } : {}),
    ...(address?.authorization === undefined ? {} : { authorization: address.authorization }),
    clock: o.clock,
    ...(settings.extra === undefined ? {} : { extra: settings.extra }),
    ...(settings.contextTokens === undefined ? {} : { contextTokens: settings.contextTokens }),
    ...(settings.row === undefined ? {} : { row: settings.row }),
    ...(settings.effort === undefined ? {} : { effort: settings.effort }),
    ...(settings.places?.["effort"] === undefined ? {} : { effortFrom: settings.places["effort"] }),
    ...(o.refusals === undefined ? {} : { refusals: o.refusals }),
    ...(o.idleMs === undefined ? {} : { idleMs: o.idleMs }),
  };
  const isResponses = known.wire === "openai" && rowOf(settings.name, settings.row)?.wire === "responses";
  const served = await load(isResponses ? { ...known, wire: "responses" } : known, options, {
    env,
    isOwnServer: settings.baseUrl !== undefined,
  });
  const model = withPlaces(served, settings);
  const gate = o.gate?.({ provider, baseUrl, apiKey: options.apiKey });
  return withProtocol(gate ? gatedModel(model, gate, o.clock) : model, settings.protocol);
}

/** How a configured model is reached. */
export interface ReachedModel {
  readonly provider: string;
  /** As the provider knows it. */
  readonly name: string;
  readonly known: KnownProvider;
  /** The address that the configuration or the environment gives. */
  readonly given: string | undefined;
  /** That, or the one that is known of the provider; undefined: its SDK's own. */
  readonly baseUrl: string | undefined;
  readonly key: string | undefined;
}

/** @throws ConfigError for an unknown provider, and a key or an address that is missing */
export function reachModel(
  settings: Pick<PlacedModel, "name" | "baseUrl">,
  env: Readonly<Record<string, string | undefined>>,
): ReachedModel {
  const { provider, name } = namesOf(settings.name);
  const known = Object.hasOwn(knownProviders, provider) ? knownProviders[provider] : undefined;
  if (known === undefined) {
    const cure = didYouMean(provider, [...Object.keys(knownProviders), "sim"], "use one of");
    throw new ConfigError(
      `model.name: no provider is called ${JSON.stringify(provider)} (in ${settings.name}); ${cure}${cure.endsWith("?") ? "" : "."} A compatible server of your own is local/${name} with model.baseUrl.`,
    );
  }
  const given = settings.baseUrl ?? (env[known.baseUrlVariable] || undefined);
  const baseUrl = given ?? known.baseUrl;
  if (baseUrl === undefined && provider === "local") {
    throw new ConfigError(
      `model.baseUrl: ${settings.name} needs the server's address; set it, or export LOCAL_BASE_URL=http://127.0.0.1:8080/v1.`,
    );
  }
  const [keyVariable, ...others] = known.keyVariables ?? [];
  const key = [...(known.keyVariables ?? []), "API_KEY"]
    .map((variable) => env[variable])
    .find((value) => value !== undefined && value !== "");
  // A server at an address of one's own decides itself whether it wants a key.
  if (key === undefined && keyVariable !== undefined && given === undefined && known.cloud === undefined) {
    const unset = others.length === 0 ? `${keyVariable} is not set` : `neither ${[keyVariable, ...others].join(" nor ")} is set`;
    throw new ConfigError(`model.name: ${settings.name} needs a key, and ${unset}; export ${keyVariable}=… or name another model.`);
  }
  return { provider, name, known, given, baseUrl, key };
}

function namesOf(model: string): { readonly provider: string; readonly name: string } {
  const slash = model.indexOf("/");
  const name = model.slice(slash + 1);
  if (slash > 0 && name !== "") return { provider: model.slice(0, slash), name };
  throw new ConfigError(
    `model.name: expected provider/name, got ${JSON.stringify(model)}; write it like anthropic/claude-sonnet-5-5 or ollama/qwen3.`,
  );
}

async function load(
  { wire, cloud }: { wire: KnownProvider["wire"] | "responses"; cloud?: KnownProvider["cloud"] },
  options: ProviderOptions,
  { env, isOwnServer }: { env: Readonly<Record<string, string | undefined>>; isOwnServer: boolean },
): Promise<Model> {
  if (wire !== "anthropic") {
    const azure =
      cloud === "azure" ? (await import("./providers/clients/azure.ts")).connectAzure({ ...options, isOwnServer }, env) : undefined;
    if (wire === "responses") return (await import("./providers/responses/responses.ts")).createResponsesModel(options, azure);
    return (await import("./providers/openai.ts")).createOpenAiModel(options, azure);
  }
  const { createAnthropicModel } = await import("./providers/anthropic.ts");
  if (cloud === "bedrock")
    return createAnthropicModel(options, await (await import("./providers/clients/bedrock.ts")).connectBedrock(options, env));
  if (cloud === "vertex")
    return createAnthropicModel(options, await (await import("./providers/clients/vertex.ts")).connectVertex(options, env));
  return createAnthropicModel(options);
}

/**
 * The model as seen through a tool protocol: `native` is the provider's own tool calls, `text` is calls written in the answer.
 * Throws `ConfigError` for `grammar`, which no provider here offers.
 */
function withProtocol(model: Model, protocol: "native" | "text" | "grammar"): Model {
  if (protocol === "native") return model;
  if (protocol === "text") return withTextProtocol(model);
  const { provider, name } = model.identity;
  throw new ConfigError(`model.protocol: grammar is not available for ${provider}/${name}; use native or text.`);
}
