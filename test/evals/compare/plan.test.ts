import { describe, expect, it } from "vitest";
import { compare } from "../../../evals/compare/compare.ts";
import { plan } from "../../../evals/compare/plan.ts";
import { describePlan } from "../../../reports/terminal/plan.ts";
import { job, suite } from "./scored-job.ts";

describe("a plan", () => {
  it("guesses from published outcomes where there is no past job, and says so", () => {
    const planned = plan({ tasks: 80, repeats: 1, configurations: 2 });
    expect(planned).toMatchObject({ from: "published", asked: { trials: 160, costUsd: null, activeMs: null } });
    expect(planned.asked.detectable).toBeCloseTo(2.8016 * Math.sqrt((0.115 + 0.142) / 80), 3);
    expect(describePlan(planned)).toMatch(/^80 tasks × 1 repeat can see a difference of 15\.9 points or more\./);
    expect(describePlan(planned)).toContain("a guess: variance of nine published agents");
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
    expect(describePlan(planned)).toContain("Under 15 tasks there is no verdict");
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
