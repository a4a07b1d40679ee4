import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { familyVariance } from "../../../evals/statistics/family-means.ts";
import { mean } from "../../../evals/statistics/moments.ts";

/** Every way to draw so many effects of size 1, each sign as likely: their variance is 1. */
const draws = (count: number): number[][] =>
  Array.from({ length: 2 ** count }, (_, bits) => Array.from({ length: count }, (__, i) => ((bits >> i) & 1 ? 1 : -1)));

describe("the variance from family to family and within one", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 4 }).filter((all) => all.some((size) => size > 1));

  it("averages what families and tasks were drawn by, whatever the sizes of the families", () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 9 }), (all, scale) => {
        const ofFamilies = draws(all.length).map((drawn) =>
          familyVariance(all.map((size, i) => Array.from({ length: size }, () => scale * (drawn[i] ?? 0)))),
        );
        expect(mean(ofFamilies.map((one) => one?.family ?? NaN))).toBeCloseTo(scale ** 2, 8);
        expect(ofFamilies.every((one) => one?.within === 0)).toBe(true);
        const tasks = all.reduce((sum, size) => sum + size, 0);
        const ofTasks = draws(tasks).map((drawn) => {
          const rest = [...drawn];
          return familyVariance(all.map((size) => rest.splice(0, size).map((one) => scale * one)));
        });
        expect(mean(ofTasks.map((one) => one?.within ?? NaN))).toBeCloseTo(scale ** 2, 8);
      }),
      { numRuns: 20 },
    );
  });
});
