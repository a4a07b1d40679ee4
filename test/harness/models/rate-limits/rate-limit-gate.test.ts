import fc from "fast-check";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { Clock } from "../../../../harness/contract/ports.ts";
import { createAccountGates } from "../../../../harness/models/rate-limits/account-gates.ts";
import { createModel } from "../../../../harness/models/create-model.ts";
import { withRetry } from "../../../../harness/models/retry/retry.ts";
import { createRateLimitGate, type RateLimitGate } from "../../../../harness/models/rate-limits/rate-limit-gate.ts";
import { systemClock } from "../../../../harness/system-ports.ts";
import { startModelServer, type ModelServer } from "../../../servers/model-server.ts";

/** Time that passes only when everybody waits for it. */
function simulatedTime(): Clock & { run(until: () => boolean): Promise<void> } {
  const timers: { at: number; fire: () => void }[] = [];
  let now = 0;
  return {
    now: () => now,
    sleep: (ms) => new Promise((resolve) => timers.push({ at: now + ms, fire: resolve })),
    async run(until) {
      for (let i = 0; !until(); i++) {
        for (let settled = 0; settled < 4; settled++) await turn();
        const next = timers.toSorted((a, b) => a.at - b.at)[0];
        if (until()) return;
        if (!next || i > 200_000) throw new Error("nothing happens any more");
        now = next.at;
        for (const due of timers.filter(({ at }) => at <= now)) {
          timers.splice(timers.indexOf(due), 1);
          due.fire();
        }
      }
    },
  };
}

interface Served {
  readonly at: number;
  readonly limited: boolean;
}
/** `clients` that each send `each` requests of `tookMs` to an account that takes `capacity` at once, and try again when refused. */
async function load(o: { clients: number; each: number; tookMs: number; capacity: number; retryAfterMs: number | undefined }) {
  const clock = simulatedTime();
  const gate = createRateLimitGate(clock);
  const served: Served[] = [];
  const widest: number[] = [];
  const windows: number[] = [];
  let inside = 0;
  let done = 0;
  let held = 0;
  let heard = -1;
  const early: number[] = [];
  const client = async (): Promise<void> => {
    for (let i = 0; i < o.each; i++) {
      for (;;) {
        const leave = await gate.enter(new AbortController().signal);
        // Who was let in at the very moment of a refusal may have been let in before it was heard.
        if (clock.now() > heard) {
          if (clock.now() < held) early.push(clock.now());
          widest.push(gate.inside - Math.floor(gate.window));
        }
        windows.push(gate.window);
        const limited = inside >= o.capacity;
        served.push({ at: clock.now(), limited });
        if (limited) {
          await clock.sleep(5);
          heard = clock.now();
          held = Math.max(held, o.retryAfterMs === undefined ? 0 : clock.now() + o.retryAfterMs);
          leave({ type: "limited", retryAfterMs: o.retryAfterMs });
          continue;
        }
        inside++;
        await clock.sleep(o.tookMs);
        inside--;
        leave({ type: "ok" });
        break;
      }
    }
    done++;
  };
  for (let i = 0; i < o.clients; i++) void client();
  await clock.run(() => done === o.clients);
  return { served, widest, windows, early, gate, elapsedMs: clock.now() };
}

describe("the gate of an account", () => {
  it("lets everybody through in the end, never more at once than its window, and none while the provider asked to wait", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          clients: fc.integer({ min: 1, max: 20 }),
          each: fc.integer({ min: 1, max: 8 }),
          tookMs: fc.integer({ min: 10, max: 5_000 }),
          capacity: fc.integer({ min: 1, max: 12 }),
          retryAfterMs: fc.option(fc.integer({ min: 0, max: 5_000 }), { nil: undefined }),
        }),
        async (o) => {
          const { served, widest, early, gate } = await load(o);
          expect(early).toEqual([]);
          expect(served.filter(({ limited }) => !limited)).toHaveLength(o.clients * o.each);
          expect(Math.max(...widest)).toBeLessThanOrEqual(0);
          expect([gate.inside, gate.waiting]).toEqual([0, 0]);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("starts slowly, doubles in the time of one request, and uses an account without limits fully", async () => {
    const { windows, elapsedMs } = await load({ clients: 32, each: 10, tookMs: 1_000, capacity: 1_000, retryAfterMs: undefined });
    expect(windows[0]).toBe(2);
    expect(windows.slice(2, 6).every((window) => window <= 4)).toBe(true);
    // 10 s of work, and the doublings 2, 4, 8, 16 before all are in.
    expect(elapsedMs).toBeLessThanOrEqual(14_000);
  });

  it("settles near what the account takes: most of its capacity is used, few requests are refused", async () => {
    const capacity = 10;
    const o = { clients: 40, each: 50, tookMs: 1_000, capacity, retryAfterMs: 1_000 };
    const { served, elapsedMs } = await load(o);
    const work = (o.clients * o.each * o.tookMs) / capacity;
    expect(work / elapsedMs).toBeGreaterThan(0.7);
    expect(served.filter(({ limited }) => limited).length / served.length).toBeLessThan(0.1);
  });

  it("cuts its window by a fifth once for requests that were refused together", async () => {
    const clock = simulatedTime();
    const gate = createRateLimitGate(clock);
    const { signal } = new AbortController();
    for (let i = 0; i < 8; i++) (await gate.enter(signal))({ type: "ok" });
    expect(gate.window).toBe(10);
    const out = await Promise.all(Array.from({ length: 6 }, () => gate.enter(signal)));
    for (const leave of out) leave({ type: "limited", retryAfterMs: 3_000 });
    expect(gate.window).toBe(8);
    expect(gate.pausedUntil).toBe(3_000);
    let entered = 0;
    void gate.enter(signal).then(() => (entered = clock.now()));
    await clock.run(() => entered > 0);
    expect(entered).toBe(3_000);
  });

  it("lets out who was held back also where a timer ends a moment before its time", async () => {
    let now = 0;
    const gate = createRateLimitGate({ now: () => now, sleep: async (ms) => void (now += ms > 1 ? ms - 1 : ms) });
    const { signal } = new AbortController();
    (await gate.enter(signal))({ type: "limited", retryAfterMs: 500 });
    (await gate.enter(signal))({ type: "ok" });
    expect([now, gate.pausedUntil]).toEqual([500, 0]);
  });

  it("is held back until what waits for a pause's end is woken, whatever the clock shows by then", async () => {
    let now = 0;
    const gate = createRateLimitGate({ now: () => now, sleep: () => new Promise(() => undefined) });
    const { signal } = new AbortController();
    (await gate.enter(signal))({ type: "limited", retryAfterMs: 500 });
    void gate.enter(signal);
    now = 600;
    expect([gate.waiting, gate.pausedUntil]).toEqual([1, 500]);
  });

  it("is held back no longer than a retry honours, whatever one header asks for", async () => {
    const clock = simulatedTime();
    const gate = createRateLimitGate(clock);
    const { signal } = new AbortController();
    (await gate.enter(signal))({ type: "limited", retryAfterMs: 3_600_000 });
    expect(gate.pausedUntil).toBe(120_000);
    let entered = 0;
    void gate.enter(signal).then(() => (entered = clock.now()));
    await clock.run(() => entered > 0);
    expect(entered).toBe(120_000);
  });

  it("forgets who gives up waiting", async () => {
    const gate = createRateLimitGate(systemClock);
    const { signal } = new AbortController();
    const leave = await Promise.all([gate.enter(signal), gate.enter(signal)]);
    const impatient = new AbortController();
    const waiting = gate.enter(impatient.signal);
    const next = gate.enter(signal);
    impatient.abort(new Error("cancelled"));
    await expect(waiting).rejects.toThrow("cancelled");
    leave[0]({ type: "ok" });
    (await next)({ type: "ok" });
    leave[1]({ type: "ok" });
    expect([gate.inside, gate.waiting]).toEqual([0, 0]);
  });
});

describe("models of one account", () => {
  let server: ModelServer | undefined;
  afterEach(() => server?.close());
  const call = {
    system: [],
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }],
    tools: [],
    params: { maxOutputTokens: 10 },
  };

  it("hold each other back when the server answers 429, for as long as it asked, and all get their answer", async () => {
    server = await startModelServer({
      replies: [{ status: 429, headers: { "retry-after-ms": "400" } }],
      always: () => ({ text: "hello" }),
    });
    const gates = createAccountGates(systemClock);
    const seen: RateLimitGate[] = [];
    const gate = (account: Parameters<typeof gates>[0]): RateLimitGate => {
      const one = gates(account);
      seen.push(one);
      return one;
    };
    const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: server.url };
    const settings = { name: "openai/scripted", protocol: "native" as const, maxOutputTokens: 10 };
    const models = await Promise.all(["a", "b", "c"].map(() => createModel(settings, env, { clock: systemClock, gate })));
    const { signal } = new AbortController();
    const began = Date.now();
    const one = (model: (typeof models)[number], lane: string) =>
      withRetry((attempt) => model.call(call, { place: { lane, ordinal: 0, attempt }, signal }), { sleep: systemClock.sleep, signal });
    const first = one(models[0] ?? expect.fail(), "a");
    await expect.poll(() => seen[0]?.pausedUntil).toBeGreaterThan(0);
    await Promise.all([first, ...models.slice(1).map((model, i) => one(model, String(i)))]);
    expect(Date.now() - began).toBeGreaterThanOrEqual(400);
    expect(new Set(seen).size).toBe(1);
    expect(server.requests).toHaveLength(4);
    expect(seen[0]?.window).toBeLessThan(2 + 3);
  });

  it("with another key or address do not", () => {
    const gates = createAccountGates(systemClock);
    const account = { provider: "openai", baseUrl: undefined, apiKey: "k" };
    expect(gates(account)).toBe(gates({ ...account }));
    for (const other of [{ apiKey: "l" }, { baseUrl: "http://x" }, { provider: "openrouter" }])
      expect(gates({ ...account, ...other })).not.toBe(gates(account));
  });
});
