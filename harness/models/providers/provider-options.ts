import type { Clock } from "../../contract/ports.ts";
import type { JsonObject } from "../../json.ts";

/** What a provider's adapter is made from. Nothing is read from the environment here. */
export interface ProviderOptions {
  /** What the part before the slash says: `anthropic`, `openai`, `ollama`, … */
  readonly provider: string;
  /** The model as the server knows it. */
  readonly name: string;
  readonly apiKey: string;
  /** Of a compatible server; left out: the provider's own. A server of one's own has no price. */
  readonly baseUrl?: string;
  /** Sent as the `authorization` header in place of the key's own: user and password that stood in the address. */
  readonly authorization?: string;
  readonly clock: Clock;
  /** Sent along with each request as it is. */
  readonly extra?: JsonObject;
  readonly contextTokens?: number;
  /** A try is given up when nothing arrives for so long, in milliseconds. Default ten minutes: a small machine reads a long prompt slowly. */
  readonly idleMs?: number;
}
export const defaultIdleMs = 600_000;
