import { createHash } from "node:crypto";
import type { Clock } from "../../contract/ports.ts";
import { createRateLimitGate, type RateLimitGate } from "./rate-limit-gate.ts";
import { splitCredentials } from "../providers/clients/split-credentials.ts";

/** Who is counted together by a provider: the holder of a key at an address. */
export interface Account {
  readonly provider: string;
  readonly baseUrl: string | undefined;
  readonly apiKey: string;
}

/** Answers the gate of an account. */
export type AccountGates = (account: Account) => RateLimitGate;

/** An account that is held back. `provider`: its name, with its address where that is one of the user's own; nothing of the key. */
export interface AccountPause {
  readonly provider: string;
  /** Unix milliseconds. */
  readonly until: number;
}

/** One gate for each account, for the length of the process. The key itself is not kept. */
export function createAccountGates(clock: Clock, o: { readonly onPause?: (pause: AccountPause) => void } = {}): AccountGates {
  const gates = new Map<string, RateLimitGate>();
  return ({ provider, baseUrl, apiKey }) => {
    const id = createHash("sha256")
      .update(JSON.stringify([provider, baseUrl ?? "", apiKey]))
      .digest("hex");
    const name = baseUrl === undefined ? provider : `${provider} at ${splitCredentials(baseUrl).url}`;
    const gate = gates.get(id) ?? createRateLimitGate(clock, { onPause: (until) => o.onPause?.({ provider: name, until }) });
    gates.set(id, gate);
    return gate;
  };
}
