import type { Clock } from "../../contract/ports.ts";
import { retryPolicy } from "../retry/retry.ts";

/** How a request went, as far as the account's limits are concerned. `limited`: the provider asked for less (429, overloaded). */
export type RequestEnd = { readonly type: "ok" | "failed" } | { readonly type: "limited"; readonly retryAfterMs: number | undefined };

/** One account at a provider, as all trials of this process share it. */
export interface RateLimitGate {
  /** Answers when a request may go out; call the answer once when it has ended. @throws the abort reason. */
  enter(signal: AbortSignal): Promise<(end: RequestEnd) => void>;
  /** Requests that may be out at once; a fraction grows towards the next whole one. */
  readonly window: number;
  readonly inside: number;
  readonly waiting: number;
  /** Unix milliseconds until which nothing goes out, also while a waiter has not been woken yet; 0 where nothing holds it back. */
  readonly pausedUntil: number;
}

const first = 2;
const widest = 1_000;
const cut = 0.8;
/** The pause after a refusal that names none; doubled with each further one in a row. Milliseconds. */
const basePauseMs = 500;
const longestPauseMs = 60_000;

interface Waiter {
  readonly go: () => void;
}

/**
 * Finds how many requests an account takes at once. Slow start: every answer lets in one more, which doubles the window in the time of one request,
 * until the first refusal; from then on the window grows by one in that time. A refusal cuts it by a fifth, once for all requests that were out together,
 * and holds every request of the account back for the provider's `retry-after`, as far as a retry honours it: one header must not silence a whole job.
 * `onPause` hears until when (Unix milliseconds), each time that is later than it was.
 */
export function createRateLimitGate(clock: Clock, o: { readonly onPause?: (until: number) => void } = {}): RateLimitGate {
  const queue: Waiter[] = [];
  const state = { window: first, slow: true, inside: 0, pausedUntil: 0, entered: 0, cutAt: 0, refusals: 0, waking: 0 };

  const pump = (): void => {
    const now = clock.now();
    if (now < state.pausedUntil) return wake(state.pausedUntil, now);
    while (queue.length > 0 && state.inside < Math.floor(state.window)) {
      state.inside++;
      queue.shift()?.go();
    }
  };
  const wake = (at: number, now: number): void => {
    if (queue.length === 0 || state.waking >= at) return;
    state.waking = at;
    // A timer may end a moment early by the clock: what still waits then sleeps again. One whose sleep is cut short ends a process; nothing waits then.
    void clock.sleep(at - now).then(
      () => {
        if (state.waking === at) state.waking = 0;
        pump();
      },
      () => undefined,
    );
  };
  const end = (serial: number, how: RequestEnd): void => {
    state.inside--;
    if (how.type === "ok") {
      state.refusals = 0;
      state.window = Math.min(widest, state.window + (state.slow ? 1 : 1 / state.window));
    } else if (how.type === "limited") {
      const now = clock.now();
      // Requests that were out when the window was cut speak of the window before.
      if (serial > state.cutAt) {
        state.window = Math.max(1, state.window * cut);
        state.cutAt = state.entered;
        state.slow = false;
        state.refusals++;
      }
      const asked = how.retryAfterMs ?? Math.min(basePauseMs * 2 ** (state.refusals - 1), longestPauseMs);
      const pauseMs = Math.min(asked, retryPolicy.maxRetryAfterMs);
      const until = Math.max(state.pausedUntil, now + pauseMs);
      if (until > state.pausedUntil) o.onPause?.(until);
      state.pausedUntil = until;
    }
    pump();
  };
  return {
    async enter(signal) {
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          queue.splice(queue.indexOf(waiter), 1);
          reject(signal.reason as Error); // whatever the caller aborted with
        };
        const waiter: Waiter = {
          go: () => {
            signal.removeEventListener("abort", leave);
            resolve();
          },
        };
        signal.addEventListener("abort", leave, { once: true });
        queue.push(waiter);
        pump();
      });
      const serial = ++state.entered;
      let ended = false;
      return (how) => {
        if (ended) return;
        ended = true;
        end(serial, how);
      };
    },
    get window() {
      return state.window;
    },
    get inside() {
      return state.inside;
    },
    get waiting() {
      return queue.length;
    },
    get pausedUntil() {
      return state.waking > 0 || state.pausedUntil > clock.now() ? state.pausedUntil : 0;
    },
  };
}
