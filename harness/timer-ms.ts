/** The longest that a timer takes, about 25 days; of a longer one Node makes one millisecond, or an error. */
const longestMs = 2 ** 31 - 1;

/**
 * A duration as timers and `AbortSignal.timeout` take it: whole milliseconds, at least one. What a task states in seconds may be any positive number:
 * 1.001 s are 1000.9999999999999 ms, and months may be meant as no limit.
 */
export const timerMs = (ms: number): number => Math.min(Math.max(1, Math.ceil(ms)), longestMs);
