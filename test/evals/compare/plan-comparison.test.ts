import { assert, constantFrom, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { compare } from "../../../evals/compare/compare.ts";
import { plan } from "../../../evals/compare/plan-comparison.ts";
import { describePlan } from "../../../reports/terminal/comparison/comparison-plan.ts";
import { job, suite, unwrapped } from "./scored-job.ts";

describe("a plan", () => {
  it("guesses from published outcomes where there is no past job, and says so", () => {
    const planned = plan({ tasks: 80, repeats: 1, configurations: 2 });
    expect(planned).toMatchObject({ from: "published", asked: { trials: 160, costUsd: null, activeMs: null } });
    expect(planned.asked.detectable).toBeCloseTo(2.8016 * Math.sqrt((0.115 + 0.142) / 80), 3);
    expect(describePlan(planned)).toMatch(/^80 tasks × 1 repeat can see a difference of 16 points or more\./);
    expect(unwrapped(describePlan(planned))).toContain("a guess: variance of nine published agents");
  });

  it("prefers tasks where tasks differ and says what a wanted difference takes", () => {
    const planned = plan({ tasks: 40, repeats: 3, configurations: 2, difference: 0.1 });
    expect(planned.alternatives[0]).toMatchObject({ tasks: 80, repeats: 3 });
    expect(planned.alternatives[0].detectable).toBeLessThan(planned.alternatives[1].detectable);
    expect(planned.alternatives[0].trials).toBe(planned.alternatives[1].trials);
    expect(plan({ tasks: planned.tasksNeeded ?? 0, repeats: 3, configurations: 2 }).asked.detectable).toBeLessThanOrEqual(0.1);
  });

  it("sees less with more configurations", () => {
    const seen = (configurations: number): number => plan({ tasks: 40, repeats: 1, configurations }).asked.detectable;
    expect(seen(5)).toBeGreaterThan(seen(2));
  });

  it("takes variance, cost and time from a past job with repeats", () => {
    const made = job({ a: { ...suite(20, () => 0, 4), t00: [0, 1, 0, 1] }, b: suite(20, (i) => (i < 10 ? 1 : 0), 4) });
    const records = made.records.map((record) => ({ ...record, costUsd: 0.5 }));
    const planned = plan({ tasks: 10, repeats: 2, configurations: 2 }, compare([{ ...made, records }]));
    expect(planned).toMatchObject({ from: "jobs", asked: { trials: 40, costUsd: 20, activeMs: 4000 } });
    expect(planned.components.withinA).toBeCloseTo(1 / 3 / 20, 10);
    expect(planned.components.withinB).toBe(0);
    expect(unwrapped(describePlan(planned))).toContain("Under 15 tasks there is no verdict");
  });

  it("of a past job that all passes or all fails is as wide as a comparison of it, and says so", () => {
    assert(
      property(
        integer({ min: 2, max: 60 }),
        integer({ min: 1, max: 4 }),
        constantFrom(0, 1),
        constantFrom(0, 1),
        (tasks, repeats, x, y) => {
          const past = compare([job({ a: suite(tasks, () => x, repeats), b: suite(tasks, () => y, repeats) })]);
          const planned = plan({ tasks, repeats, configurations: 2, difference: 0.1 }, past);
          expect(planned.asked.detectable).toBeCloseTo(past.pairs[0]?.readings[0]?.couldHaveSeen ?? 0, 9);
          expect(planned.asked.detectable).toBeGreaterThan(0);
          expect(planned.tasksNeeded).toBeGreaterThan(0);
          expect(planned.notes).toHaveLength(repeats > 1 ? 1 : 0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("says that both alternatives see the same where what it shows is the same", () => {
    const past = compare([job({ a: suite(40, () => 1, 2), b: suite(40, (i) => (i < 20 ? 1 : 0), 2) })]);
    const planned = plan({ tasks: 400, repeats: 2, configurations: 2 }, past);
    const [best, other] = planned.alternatives;
    const near = {
      ...planned,
      alternatives: [
        { ...best, detectable: 0.08601 },
        { ...other, detectable: 0.0864 },
      ],
    } as const;
    expect(unwrapped(describePlan(near))).toContain("For the same money twice the tasks and twice the repeats see the same.");
    expect(unwrapped(describePlan({ ...near, alternatives: [near.alternatives[0], other] }))).toContain("see more.");
  });

  it("says what of a past job could be used, and what is a guess or made up", () => {
    const ask = { tasks: 40, repeats: 1, configurations: 2 };
    const alone = plan(ask, compare([job({ a: suite(20, () => 1) })]));
    expect(alone).toMatchObject({ from: "published", asked: { activeMs: 8000 } });
    expect(unwrapped(describePlan(alone))).toContain(
      "Only the working time of jobs/a could be used, as it has one configuration only (a); the variance is a guess.",
    );
    const oneTask = compare([job({ a: suite(1, () => 1, 3), b: suite(1, () => 0, 3) })]);
    expect(unwrapped(describePlan(plan(ask, oneTask)))).toContain(
      "as its configurations share one task with a score; the variance is a guess.",
    );
    const made = job({ a: suite(20, (i) => i % 2), b: suite(20, () => 1) }, { simulated: true });
    const priced = { ...made, records: made.records.map((record) => ({ ...record, costUsd: 0.5 })) };
    const simulated = describePlan(plan(ask, compare([priced])));
    expect(simulated).toContain("$40.00 simulated");
    expect(simulated).toContain("Simulated: the variance and the cost of jobs/a are made up.");
  });

  it("refuses a comparison of one configuration", () => {
    expect(() => plan({ tasks: 40, repeats: 1, configurations: 1 })).toThrow(
      /^--configurations: 1 has nothing to compare with; give 2 or more/,
    );
  });

  it("counts the noise of single trials as the tasks' own, so that repeats promise nothing", () => {
    const planned = plan(
      { tasks: 40, repeats: 1, configurations: 2 },
      compare([job({ a: suite(40, (i) => i % 2), b: suite(40, (i) => i % 3 && 1) })]),
    );
    expect(planned.from).toBe("single trials");
    expect(planned.alternatives[1].detectable).toBe(planned.asked.detectable);
  });
});
