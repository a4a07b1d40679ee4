import { codeOf, messageOf } from "../../../errors.ts";
import type { ResolvedModel } from "../../../contract/resolved-config.ts";
import { knownProviders } from "../known-providers.ts";
import { splitCredentials } from "./split-credentials.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Where a model is asked: the configured address, that of the provider's variable, or the one that is known of it. undefined: its SDK's own. */
export function serverAddress({ name, baseUrl }: Pick<ResolvedModel, "name" | "baseUrl">, env: Env): string | undefined {
  const provider = name.slice(0, name.indexOf("/"));
  const known = Object.hasOwn(knownProviders, provider) ? knownProviders[provider] : undefined;
  return baseUrl ?? (env[known?.baseUrlVariable ?? ""] || undefined) ?? known?.baseUrl;
}

/** A server that sends nothing within so many milliseconds counts as dead: a connection whose packets are dropped would be waited for much longer. */
const silentMs = 2_500;

/**
 * A sentence where nothing answers at a model's address: which model, where, and how it failed. undefined: something answered, whatever it said, or the
 * address is the SDK's own.
 */
export async function deadServer(
  model: Pick<ResolvedModel, "name" | "baseUrl">,
  env: Env,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const address = serverAddress(model, env);
  if (address === undefined) return undefined;
  const { url, authorization } = splitCredentials(address);
  const late = AbortSignal.timeout(silentMs);
  try {
    const response = await fetch(`${url.replace(/\/+$/, "")}/models`, {
      signal: signal ? AbortSignal.any([signal, late]) : late,
      ...(authorization === undefined ? {} : { headers: { authorization } }),
    });
    await response.body?.cancel();
    return undefined;
  } catch (error) {
    if (signal?.aborted) return undefined;
    const why = late.aborted ? `nothing came back within ${silentMs / 1_000} s` : reason(error);
    return `The model server of ${model.name} at ${url} does not respond (${why}).`;
  }
}

/** `fetch` says only that it failed; its cause says why. */
function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return codeOf(cause) === "ECONNREFUSED" ? "it refuses the connection" : (codeOf(cause) ?? messageOf(cause));
}
