import { createHash } from "node:crypto";
import type { Clock } from "../agent/ports.ts";
import { createRateLimitGate, type RateLimitGate } from "./rate-limit-gate.ts";

/** Who is counted together by a provider: the holder of a key at an address. */
export interface Account {
  readonly provider: string;
  readonly baseUrl: string | undefined;
  readonly apiKey: string;
}

/** Answers the gate of an account. */
export type AccountGates = (account: Account) => RateLimitGate;

/** One gate for each account, for the length of the process. The key itself is not kept. */
export function createAccountGates(clock: Clock): AccountGates {
  const gates = new Map<string, RateLimitGate>();
  return ({ provider, baseUrl, apiKey }) => {
    const id = createHash("sha256")
      .update(JSON.stringify([provider, baseUrl ?? "", apiKey]))
      .digest("hex");
    const gate = gates.get(id) ?? createRateLimitGate(clock);
    gates.set(id, gate);
    return gate;
  };
}
