import fc from "fast-check";
import { expect, test } from "vitest";
import { ModelError, type ModelErrorKind } from "../../../../harness/contract/model-error.ts";
import { retryAfterOf } from "../../../../harness/models/retry/to-model-error.ts";
import { retryPolicy, waitBefore, withRetry } from "../../../../harness/models/retry/retry.ts";

function run(errors: readonly unknown[], seed = "main#0") {
  const waits: number[] = [];
  let tries = 0;
  const result = withRetry(
    async (attempt) => {
      tries++;
      if (attempt < errors.length) throw errors[attempt];
      return `answer ${attempt}`;
    },
    { sleep: async (ms) => void waits.push(ms), signal: new AbortController().signal, seed },
  );
  return { result, waits, tries: () => tries };
}

test("what may pass is tried again until it works", async () => {
  const kinds: ModelErrorKind[] = ["timeout", "conflict", "rate_limit", "server", "stream"];
  const { result, waits } = run(kinds.map((kind) => new ModelError(kind, kind)));
  expect(await result).toBe("answer 5");
  expect(waits).toHaveLength(5);
});

test.each<ModelErrorKind>(["invalid", "parameter", "auth", "not_found", "quota", "context"])("%s is never tried again", async (kind) => {
  const { result, tries } = run([new ModelError(kind, "no")]);
  await expect(result).rejects.toMatchObject({ kind });
  expect(tries()).toBe(1);
});

test("anything but a ModelError is thrown at once", async () => {
  const { result, tries } = run([new TypeError("a bug")]);
  await expect(result).rejects.toThrow("a bug");
  expect(tries()).toBe(1);
});

test("the sixth failure is thrown", async () => {
  const { result, tries, waits } = run(Array.from({ length: 9 }, (_, i) => new ModelError("server", `failure ${i}`)));
  await expect(result).rejects.toThrow("failure 5");
  expect([tries(), waits.length]).toEqual([6, 5]);
});

test("retry-after is honoured, up to 120 s", async () => {
  const { result, waits } = run([3_000, 900_000].map((retryAfterMs) => new ModelError("rate_limit", "slow", { retryAfterMs })));
  await result;
  expect(waits).toEqual([3_000, 120_000]);
});

test("waits double, jitter stays in [½, 1), and the same seed waits the same", () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(12), (seed, attempt) => {
      const longest = Math.min(retryPolicy.baseMs * 2 ** attempt, retryPolicy.maxWaitMs);
      const wait = waitBefore(attempt, undefined, seed);
      expect(wait).toBeGreaterThanOrEqual(longest / 2);
      expect(wait).toBeLessThanOrEqual(longest);
      expect(waitBefore(attempt, undefined, seed)).toBe(wait);
    }),
  );
  const spread = Array.from({ length: 200 }, (_, i) => waitBefore(3, undefined, `main/${i}#0`));
  expect(Math.min(...spread)).toBeLessThan(4_600);
  expect(Math.max(...spread)).toBeGreaterThan(7_400);
});

test("an abort during the wait ends the loop with its reason", async () => {
  const controller = new AbortController();
  const result = withRetry(() => Promise.reject(new ModelError("server", "down")), {
    sleep: async () => controller.abort(new Error("stopped by hand")),
    signal: controller.signal,
  });
  await expect(result).rejects.toThrow("stopped by hand");
});

test("each failure is reported with the wait before the next try, the last one without", async () => {
  const seen: [string, number, boolean][] = [];
  const failing = withRetry(() => Promise.reject(new ModelError("server", "down")), {
    sleep: async () => {},
    signal: new AbortController().signal,
    onAttempt: (error, attempt, waitMs) => seen.push([error.kind, attempt, waitMs !== undefined]),
    policy: { ...retryPolicy, attempts: 2 },
  });
  await expect(failing).rejects.toThrow("down");
  expect(seen).toEqual([
    ["server", 0, true],
    ["server", 1, false],
  ]);
});

test("retry-after is read in milliseconds, seconds and as a date; nonsense is nothing", () => {
  const now = Date.parse("2026-11-01T12:00:00Z");
  const of = (headers: Record<string, string>) => retryAfterOf(new Headers(headers), now);
  expect(of({ "retry-after-ms": "250", "retry-after": "9" })).toBe(250);
  expect(of({ "retry-after": "1.5" })).toBe(1_500);
  expect(of({ "retry-after": "Sun, 01 Nov 2026 12:00:30 GMT" })).toBe(30_000);
  expect(of({ "retry-after": "Sun, 01 Nov 2026 11:00:00 GMT" })).toBe(0);
  expect(of({ "retry-after": "soon" })).toBeUndefined();
  expect(of({})).toBeUndefined();
});
