import type { Clock } from "../../contract/ports.ts";
import type { Effort, ModelRow } from "../../contract/model-row.ts";
import type { JsonObject } from "../../json.ts";
import type { RefusalMemory } from "../retry/refusal-memory.ts";

/** What a provider's adapter is made from. Nothing is read from the environment here. */
export interface ProviderOptions {
  /** What the part before the slash says: `anthropic`, `openai`, `ollama`, … */
  readonly provider: string;
  /** The model as the server knows it. */
  readonly name: string;
  readonly apiKey: string;
  /** Of a compatible server; left out: the provider's own. A server of one's own has no price. */
  readonly baseUrl?: string;
  /** The provider's own address, where its SDK does not know it. */
  readonly home?: string;
  /** The provider refuses a seed. */
  readonly refusesSeed?: boolean;
  /** Sent as the `authorization` header in place of the key's own: user and password that stood in the address. */
  readonly authorization?: string;
  readonly clock: Clock;
  /** Sent along with each request as it is. */
  readonly extra?: JsonObject;
  readonly contextTokens?: number;
  /** What the user says of the model, over Forge's table. */
  readonly row?: ModelRow;
  /**
   * The effort that the configuration sets: refused by a model that the table or the user knows, it ends the job. One that a middleware chose, or that an
   * unknown model refuses, is left out from then on.
   */
  readonly effort?: Effort;
  /** File and line that set it. */
  readonly effortFrom?: string;
  /** What servers have refused so far, for the length of a job. */
  readonly refusals?: RefusalMemory;
  /** A try is given up when nothing arrives for so long, in milliseconds. Default ten minutes: a small machine reads a long prompt slowly. */
  readonly idleMs?: number;
}
export const defaultIdleMs = 600_000;
