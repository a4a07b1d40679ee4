/**
 * Milliseconds that a response's headers ask to wait: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date (taken against
 * `now`, Unix milliseconds). undefined where they ask nothing that can be understood; never negative.
 */
export function retryAfterOf(headers: Headers | undefined, now: number): number | undefined {
  const milliseconds = decimal(headers?.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const value = headers?.get("retry-after");
  const seconds = decimal(value);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  const date = Date.parse(value ?? "");
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function decimal(value: string | null | undefined): number | undefined {
  return value && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}
