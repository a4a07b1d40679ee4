import { ModelError } from "../../contract/model-error.ts";

/** Attempts and waits of the one retry loop. Waits in milliseconds. */
export interface RetryPolicy {
  /** Tries in all, the first one included. */
  readonly attempts: number;
  /** The longest wait after the first failure; it doubles with each further one. */
  readonly baseMs: number;
  readonly maxWaitMs: number;
  /** A provider's `retry-after` is honoured up to this. */
  readonly maxRetryAfterMs: number;
}
export const retryPolicy: RetryPolicy = { attempts: 6, baseMs: 1_000, maxWaitMs: 60_000, maxRetryAfterMs: 120_000 };

/**
 * Tries until it works: the only retry loop around models (the SDKs' own are off). Retried are `ModelError`s that say so
 * (`ModelError.retryable`: 408, 409, 429, 5xx, connection, timeout, broken stream); anything else is thrown at once, and so is the last
 * failure. Takes no clock and no randomness of its own: the jitter is a function of `seed` and attempt, so a replay waits the same.
 * Throws what `attemptOnce` threw, or the abort reason.
 */
export async function withRetry<T>(
  attemptOnce: (attempt: number) => Promise<T>,
  o: {
    sleep(ms: number, signal: AbortSignal): Promise<void>;
    signal: AbortSignal;
    /** After each failed try; `waitMs` is left out when there will be no further one. */
    onAttempt?(error: ModelError, attempt: number, waitMs?: number): void;
    /** What the jitter comes from, such as `lane#ordinal`, so that parallel runs do not come back at the same moment. */
    seed?: string;
    policy?: RetryPolicy;
  },
): Promise<T> {
  const policy = o.policy ?? retryPolicy;
  for (let attempt = 0; ; attempt++) {
    o.signal.throwIfAborted();
    try {
      return await attemptOnce(attempt);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      // The run is over; a replay hears of that when it asks again, as often as the recording was asked.
      if (error.kind === "cut") continue;
      if (!error.retryable || attempt + 1 >= policy.attempts) {
        o.onAttempt?.(error, attempt);
        throw error;
      }
      const waitMs = waitBefore(attempt, error.retryAfterMs, o.seed ?? "", policy);
      o.onAttempt?.(error, attempt, waitMs);
      await o.sleep(waitMs, o.signal);
    }
  }
}

/** Milliseconds to wait after failed try `attempt` (from 0): what the provider asked for, else exponential with jitter in [½, 1). */
export function waitBefore(attempt: number, retryAfterMs: number | undefined, seed: string, policy: RetryPolicy = retryPolicy): number {
  const longest = longestWaitBefore(attempt, retryAfterMs, policy);
  if (retryAfterMs !== undefined) return longest;
  return Math.round(longest * (0.5 + 0.5 * fraction(`${seed}:${attempt}`)));
}

/** As `waitBefore`, with the longest jitter. */
export function longestWaitBefore(attempt: number, retryAfterMs: number | undefined, policy: RetryPolicy = retryPolicy): number {
  if (retryAfterMs !== undefined) return Math.min(Math.max(retryAfterMs, 0), policy.maxRetryAfterMs);
  return Math.min(policy.baseMs * 2 ** attempt, policy.maxWaitMs);
}

/** FNV-1a of the text as a number in [0, 1): spread enough for jitter, and the same everywhere. */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15; // FNV's last byte stirs only its low bits
  hash = Math.imul(hash, 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}
