import type { ModelParams } from "../agent/messages.ts";
import type { ModelIdentity } from "../agent/ports.ts";
import { sha256 } from "../events/hash.ts";
import { canonicalJson } from "./canonical-json.ts";

/**
 * SHA-256 in hex over what makes two runs runs of the same model: provider, name, fingerprint, context length, extra parameters, sampling and
 * effort. Not the protocol, which is the harness's, nor the price table, which changes no answer.
 */
export function modelIdentityHash(identity: ModelIdentity, params: ModelParams): string {
  const { provider, name, fingerprint, contextTokens, extra, simulated } = identity;
  const { effort, temperature, topP, maxOutputTokens } = params;
  return sha256(
    canonicalJson({ provider, name, fingerprint, contextTokens, extra, simulated, effort, temperature, topP, maxOutputTokens }),
  );
}
