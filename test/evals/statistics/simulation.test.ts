import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { outcomeRates } from "../../../scripts/bench/statistics/outcome-rates.ts";
import { promises, runSimulation } from "../../../scripts/bench/statistics/run-simulation.ts";
import { groups, wanting } from "../../../scripts/bench/statistics/scenarios.ts";
import { simulate, type Result, type Scenario } from "../../../scripts/bench/statistics/simulate.ts";
import { simulateFamilies, type FamilyScenario } from "../../../scripts/bench/statistics/simulate-families.ts";
import { seededRandom } from "../../../harness/seeded-random.ts";

/** The fast part of `npm run bench -- statistics`: a few of its cells, seeded, with 1,000 simulations instead of 10,000. */
const rates = outcomeRates(fileURLToPath(new URL("../../fixtures/outcomes/terminal-bench-core-trials.csv", import.meta.url)));
const run = (scenario: Omit<Scenario, "tasks"> & { tasks?: number }): Result =>
  simulate({ tasks: 24, ...scenario }, rates, 1000, seededRandom(11));
const either = ({ better, worse }: Pick<Result, "better" | "worse">): number => better + worse;

describe("comparisons simulated from the published outcomes of nine agents on 80 tasks", () => {
  it("rest on all of the published tasks and agents", () => {
    expect([rates.tasks, rates.agents.length]).toEqual([80, 9]);
  });

  it("find no difference where there is none, once or five times a task, as often as they say; trials taken as coins do not", () => {
    for (const repeats of [1, 3, 5]) expect(either(run({ truth: "unlike", repeats }))).toBeLessThanOrEqual(0.055);
    expect(either(run({ truth: "unlike", repeats: 5 }).naive)).toBeGreaterThan(0.1);
  });

  it("stay so while the service gets slower, and with a look after every task", () => {
    expect(either(run({ truth: "unlike", repeats: 3, conditions: { drift: 0.6 } }))).toBeLessThanOrEqual(0.055);
    const early = run({ truth: "unlike", repeats: 1, way: "early" });
    expect(either(early)).toBeLessThanOrEqual(0.055);
    expect(early.coverage).toBeGreaterThanOrEqual(0.94);
    const lossA = { chance: 0.2, of: "passes" as const };
    expect(either(run({ truth: "unlike", tasks: 89, repeats: 1, way: "early", conditions: { lossA } }))).toBeLessThanOrEqual(0.055);
    expect(run({ truth: "unlike", repeats: 5, way: "early" }).naive.pairs).toBeGreaterThan(0.2);
  });

  it("stay so when trials are lost by arm and outcome, if a claim must hold with the lost ones counted against it", () => {
    const conditions = { lossA: { chance: 0.2, of: "passes" as const } };
    const scenario = { truth: "unlike", tasks: 89, repeats: 1, conditions } as const;
    expect(either(run({ ...scenario, against: true }))).toBeLessThanOrEqual(0.055);
    expect(either(run(scenario))).toBeGreaterThan(0.055);
  });

  it("cover the true difference of agents as they are", () => {
    const covered = [1, 3, 5].map((repeats) => run({ truth: "real", repeats }).coverage);
    expect(covered.reduce((sum, one) => sum + one, 0) / 3).toBeGreaterThanOrEqual(0.94);
  });

  it("find what planning announces about as often as it says", () => {
    const found = run({ truth: "lifted", tasks: 89, repeats: 3, points: "announced" }).better;
    expect(found).toBeGreaterThan(0.7);
    expect(found).toBeLessThan(0.9);
  });

  it("keep the rate in a family of twenty with Holm's adjustment, and say that it grows without", () => {
    const reused = run({ truth: "unlike", repeats: 1, way: "reused" });
    expect(either(reused)).toBeLessThanOrEqual(0.055);
    expect(reused.familyHolm ?? 1).toBeLessThanOrEqual(0.1); // of 50 families
    expect(reused.family ?? 0).toBeGreaterThan(0.1);
  });

  it("find no difference between families where there is none, of equal and unequal sizes; with tasks as the unit they do", () => {
    for (const sizes of ["4 each", "1 to 10"] as const) {
      const scenario: FamilyScenario = { families: 15, sizes, icc: 0.35, repeats: 3, truth: "equal" };
      const { families, tasks } = simulateFamilies(scenario, rates, 1000, seededRandom(11));
      expect(families.verdict).toBeLessThanOrEqual(0.055);
      expect(families.covered).toBeGreaterThanOrEqual(0.94);
      expect(tasks.verdict).toBeGreaterThan(0.12);
    }
  });

  it("are the same for the same seed", () => {
    const once = (): unknown => runSimulation(groups.slice(0, 1), rates, 20, () => undefined);
    expect(once()).toEqual(once());
    expect(promises(runSimulation([...groups.slice(0, 2), ...wanting.slice(0, 1)], rates, 20, () => undefined))[0]?.unit).toBe("%");
  });
});
