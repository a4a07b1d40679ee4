import type { ModelParams } from "../contract/messages.ts";
import type { ModelIdentity } from "../contract/ports.ts";
import { sha256 } from "../hash/sha256.ts";
import { canonicalJson } from "../hash/canonical-json.ts";

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
