import type { ModelParams } from "../contract/messages.ts";
import type { ModelRow } from "../contract/model-row.ts";
import type { ModelIdentity } from "../contract/ports.ts";
import { sha256 } from "../hash/sha256.ts";
import { canonicalJson } from "../hash/canonical-json.ts";

/**
 * SHA-256 in hex over what makes two runs runs of the same model: provider, name, fingerprint, context length, extra parameters, sampling and
 * effort. The user's row joins it, its price excepted. Not the protocol, which is the harness's, nor the price table, which changes no answer.
 */
export function modelIdentityHash(identity: ModelIdentity, params: ModelParams & { readonly row?: ModelRow }): string {
  const { price: _, priceOf: __, ...row } = params.row ?? {};
  const { provider, name, fingerprint, contextTokens, extra, simulated } = identity;
  const { effort, temperature, topP, maxOutputTokens } = params;
  return sha256(
    canonicalJson({
      provider,
      name,
      fingerprint,
      contextTokens,
      extra,
      simulated,
      effort,
      temperature,
      topP,
      maxOutputTokens,
      ...(Object.keys(row).length === 0 ? {} : { row }),
    }),
  );
}
