import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { timeLeft } from "../../../reports/terminal/bench-progress/time-left.ts";

const minute = 60_000;

describe("time left", () => {
  it("is not told before three trials have ended", () => {
    const ended = new Map([["a", [minute, minute]]]);
    expect(timeLeft({ ended, running: [], left: 10, trialsPerTask: 2, slots: 2 })).toBeUndefined();
  });

  it("is the work that is left, shared by the slots, and exact where all trials take the same time", () => {
    const ended = new Map([
      ["a", [minute, minute]],
      ["b", [minute, minute]],
    ]);
    const left = timeLeft({ ended, running: [], left: 8, trialsPerTask: 2, slots: 4 });
    expect(left).toEqual({ likelyMs: 2 * minute, lowMs: 2 * minute, highMs: 2 * minute });
    const running = [{ task: "b", elapsedMs: minute / 2 }];
    expect(timeLeft({ ended, running, left: 8, trialsPerTask: 2, slots: 4 })?.likelyMs).toBe(1.875 * minute);
  });

  it("expects of a task that was seen what it did, and of a new one what tasks do", () => {
    const ended = new Map([
      ["quick", [1_000, 1_000]],
      ["slow", [9_000]],
    ]);
    expect(timeLeft({ ended, running: [], left: 1, trialsPerTask: 2, slots: 1 })?.likelyMs).toBe(9_000);
    expect(timeLeft({ ended, running: [], left: 3, trialsPerTask: 2, slots: 1 })?.likelyMs).toBe(9_000 + 2 * 5_000);
  });

  it("is less certain where tasks differ more, never negative, and its range holds the likely value", () => {
    const duration = fc.integer({ min: 1, max: 1_000_000 });
    const ended = fc.dictionary(fc.string(), fc.array(duration, { minLength: 1, maxLength: 5 }), { minKeys: 1, maxKeys: 8 });
    fc.assert(
      fc.property(
        ended,
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 10 }),
        fc.nat(2_000_000),
        (seen, left, slots, elapsedMs) => {
          const task = Object.keys(seen)[0] ?? "";
          const o = { ended: new Map(Object.entries(seen)), running: [{ task, elapsedMs }], left, trialsPerTask: 5, slots };
          const told = timeLeft(o);
          if (!told) return;
          expect(told.lowMs).toBeGreaterThanOrEqual(0);
          expect(told.lowMs).toBeLessThanOrEqual(told.likelyMs);
          expect(told.likelyMs).toBeLessThanOrEqual(told.highMs);
          expect(Number.isFinite(told.highMs)).toBe(true);
        },
      ),
    );
    const alike = new Map([
      ["a", [5_000]],
      ["b", [5_100]],
      ["c", [4_900]],
    ]);
    const unlike = new Map([
      ["a", [500]],
      ["b", [10_000]],
      ["c", [4_500]],
    ]);
    const spread = (seen: Map<string, number[]>): number => {
      const told = timeLeft({ ended: seen, running: [], left: 20, trialsPerTask: 1, slots: 2 });
      return told ? told.highMs - told.lowMs : Number.NaN;
    };
    expect(spread(unlike)).toBeGreaterThan(spread(alike) * 10);
  });
});
