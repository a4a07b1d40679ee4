import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBudget } from "../../../../evals/bench/schedule/budget.ts";

const noLimits = new Map([["a", undefined]]);

describe("a job's budget", () => {
  it("lets one trial run alone until it is known what a trial costs", () => {
    const budget = createBudget(1, [], noLimits);
    expect(budget.admit("a")).toBe(true);
    expect(budget.admit("a")).toBe(false);
    budget.settle("a", 0.3);
    expect([budget.admit("a"), budget.admit("a"), budget.admit("a")]).toEqual([true, true, false]);
  });

  it("counts what runs with its configuration's own limit", () => {
    const budget = createBudget(1, [], new Map([["a", 0.4]]));
    expect([budget.admit("a"), budget.admit("a"), budget.admit("a")]).toEqual([true, true, false]);
    budget.settle("a", 0.1);
    expect(budget.admit("a")).toBe(true);
  });

  it("counts what earlier runs of the job have spent", () => {
    expect(createBudget(1, [{ configuration: "a", costUsd: 1 }], noLimits).admit("a")).toBe(false);
  });

  it("knows from earlier runs of the job what a trial costs, and counts one of unknown cost as the dearest", () => {
    const past = [null, 0.3, 0.2].map((costUsd) => ({ configuration: "a", costUsd }));
    expect(createBudget(1, past, noLimits).admit("a")).toBe(false); // 0.8, and the next may take 0.3
    const more = createBudget(1.5, past, noLimits);
    expect([more.admit("a"), more.admit("a"), more.admit("a")]).toEqual([true, true, false]);
  });

  it("without a limit admits everything", () => {
    const budget = createBudget(undefined, [{ configuration: "a", costUsd: 100 }], noLimits);
    expect([budget.admit("a"), budget.admit("a")]).toEqual([true, true]);
  });

  it("is never overspent by trials that keep to their limit, in whatever order they end", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ end: fc.boolean(), share: fc.double({ min: 0, max: 1, noNaN: true }) }), { maxLength: 60 }),
        (steps) => {
          const budget = createBudget(2, [], new Map([["a", 0.3]]));
          let spent = 0;
          for (const { end, share } of steps) {
            if (!end) budget.admit("a");
            else if (budget.inFlight > 0) {
              spent += share * 0.3;
              budget.settle("a", share * 0.3);
            }
            expect(spent + budget.inFlight * 0.3).toBeLessThanOrEqual(2 + 1e-9);
          }
        },
      ),
    );
  });
});
