import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eValue } from "../../../evals/statistics/e-process.ts";
import { followPairs, type PairDecision, type TaskPair } from "../../../evals/statistics/follow-pairs.ts";
import { seededRandom } from "../../../harness/seeded-random.ts";

const rule = { alpha: 0.05, firstLook: 15 };
const whole = (difference: number): TaskPair => ({ excluded: difference, failed: difference, forA: difference, forB: difference });
const difference = fc.constantFrom<number>(-1, -0.5, 0, 0, 0.5, 1, 1);

/** Looks at one comparison after each task, up to its decision. */
function follow(seen: readonly TaskPair[]): { decision: PairDecision | undefined; at: number } {
  const follower = followPairs(1, rule);
  for (const [i, task] of seen.entries()) {
    const [decision] = follower.look([task]);
    if (decision) return { decision, at: i + 1 };
  }
  return { decision: undefined, at: seen.length };
}

describe("looking at one comparison after every task", () => {
  it("decides at the first task from the 15th on at which the e-value exceeds 20, for the side that gained more", () => {
    fc.assert(
      fc.property(fc.array(difference, { maxLength: 60 }), (differences) => {
        const expected = differences.findIndex((_, i) => i >= 14 && eValue(differences.slice(0, i + 1)) > 20);
        const { decision, at } = follow(differences.map(whole));
        expect(decision === undefined).toBe(expected === -1);
        if (expected === -1) return;
        const seen = differences.slice(0, expected + 1);
        expect([at, decision?.sign]).toEqual([expected + 1, seen.reduce((sum, d) => sum + d, 0) > 0 ? 1 : -1]);
        expect(decision?.eValue).toBeCloseTo(eValue(seen), 6);
      }),
    );
  });

  it("is the same seen from the other arm", () => {
    const turned = ({ excluded, failed, forA, forB }: TaskPair): TaskPair => ({
      excluded: excluded === null ? null : -excluded,
      failed: -failed,
      forA: -forB,
      forB: -forA,
    });
    const task = fc.record({ excluded: fc.option(difference), failed: difference, lost: fc.nat(1) });
    fc.assert(
      fc.property(fc.array(task, { maxLength: 50 }), (tasks) => {
        const seen = tasks.map(({ excluded, failed, lost }): TaskPair => ({ excluded, failed, forA: failed - lost, forB: failed + lost }));
        const [one, other] = [follow(seen), follow(seen.map(turned))];
        expect(other.at).toBe(one.at);
        expect(other.decision?.sign).toBe(one.decision === undefined ? undefined : -one.decision.sign);
      }),
    );
  });

  it("decides nothing that lost trials counted against the claim would undo", () => {
    const gained: TaskPair = { excluded: 1, failed: 1, forA: 1, forB: 1 };
    const lost: TaskPair = { excluded: null, failed: 0, forA: -1, forB: 1 };
    expect(follow(Array.from({ length: 20 }, () => gained)).at).toBe(15);
    const mixed = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? gained : lost));
    expect(follow(mixed).decision).toBeUndefined();
    const few = Array.from({ length: 60 }, (_, i) => (i % 8 === 7 ? lost : gained));
    expect(follow(few).decision?.sign).toBe(1);
  });
});

describe("looking at several comparisons", () => {
  it("asks more of the first decision than of the last, and goes on with the open ones alone", () => {
    const follower = followPairs(3, rule);
    const made: (PairDecision & { at: number })[] = [];
    for (let i = 1; i <= 80; i++) {
      const noise = i % 2 === 0 ? 1 : -1;
      for (const decision of follower.look([whole(1), whole(i % 4 === 0 ? -1 : 1), whole(noise)])) made.push({ ...decision, at: i });
    }
    expect(made.map(({ comparison, threshold, sign }) => [comparison, Math.round(threshold), sign])).toEqual([
      [0, 60, 1],
      [1, 40, 1],
    ]);
    expect([follower.isOpen(0), follower.isOpen(2)]).toEqual([false, true]);
  });

  it("are false together in at most one of twenty, with a look after every task", () => {
    const random = seededRandom(3);
    let wrong = 0;
    for (let round = 0; round < 400; round++) {
      const follower = followPairs(4, rule);
      let decided = 0;
      // all arms share the baseline's luck, as arms of one job do
      for (let i = 0; i < 120; i++) {
        const base = random() < 0.5 ? 1 : 0;
        decided += follower.look(Array.from({ length: 4 }, () => whole((random() < 0.5 ? 1 : 0) - base))).length;
      }
      if (decided > 0) wrong++;
    }
    expect(wrong / 400).toBeLessThanOrEqual(0.05);
  });
});
