import { createRedactor, lookingLikeSecrets, type SecretKind } from "./redact-text.ts";
import { urlCredentials } from "./url-credentials.ts";
import type { SandboxKind } from "../sandbox/sandbox.ts";

/** A trial, as far as secrets are concerned. */
export interface TrialSecrets {
  /** The address of its model, which may hold a password. */
  readonly modelAt: string;
  readonly sandbox: SandboxKind;
}

/**
 * Takes the values of every key of the environment out of what is recorded or shown, whatever looks like a secret, and passwords in URLs.
 *
 * A trial's agent has to work with its task's own texts: of URLs only the address of its model loses its password; and in a container, where nothing
 * of the user's is but what a variable brought there, only exact values are taken out. A task may be about a leaked key, and none of its agents could
 * find one that is blackened. The same function is applied to what the model sees and to what is recorded, so that replay shows middleware the same text.
 */
export function redactorFor(
  env: NodeJS.ProcessEnv,
  o: { readonly trial?: TrialSecrets; readonly onFound?: (kind: SecretKind) => void; readonly known?: readonly string[] } = {},
): (text: string) => string {
  const keys = Object.entries(env).flatMap(([name, value]) => {
    if (!value) return [];
    return /(_KEY|_TOKEN|_SECRET|PASSWORD)$|_BEARER_TOKEN_/.test(name) ? [value] : [...credentialsOf(value), ...lookingLikeSecrets(value)];
  });
  if (!o.trial) return createRedactor({ secrets: [...keys, ...(o.known ?? [])], ...(o.onFound ? { onFound: o.onFound } : {}) });
  const { modelAt, sandbox } = o.trial;
  const own = createRedactor({ secrets: [...keys, ...credentialsOf(modelAt)], shapes: sandbox !== "docker", urls: false });
  const masked = createRedactor({ secrets: keys })(modelAt);
  // the address as a whole too: a password may be too short to be looked for alone
  return masked === modelAt ? own : (text) => own(text.replaceAll(modelAt, masked));
}

const credentialsOf = (url: string): string[] => urlCredentials(url).map(({ from, to }) => url.slice(from, to));
