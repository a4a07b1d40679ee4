import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { passAllK, passAtK } from "../../../evals/statistics/pass-curve.ts";
import { detectable, detectableWith, tasksNeeded, varianceComponents } from "../../../evals/statistics/power.ts";
import { shrink } from "../../../evals/statistics/shrink.ts";
import { seededRandom } from "../../../harness/seeded-random.ts";

describe("power", () => {
  it("asks for the tasks of Miller's example", () => {
    // Adding Error Bars to Evals (2024), section 5: ω² = 1/9, no noise within tasks, 3 points, 5 %, 80 %: 969 tasks
    const components = { between: 1 / 9, withinA: 0, withinB: 0 };
    expect(tasksNeeded({ difference: 0.03, repeats: 1 }, components)).toBe(969);
    expect(detectableWith({ tasks: 969, repeats: 1 }, components)).toBeCloseTo(0.03, 4);
  });

  it("says what could have been seen: 2.8 standard errors, never more than everything", () => {
    expect(detectable(0.1)).toBeCloseTo(0.2802, 4);
    expect(detectable(0.9)).toBe(1);
  });

  it("gains from repeats only what trials vary by, from tasks everything", () => {
    const components = { between: 0.05, withinA: 0.1, withinB: 0.1 };
    const seen = (tasks: number, repeats: number): number => detectableWith({ tasks, repeats }, components);
    expect(seen(40, 2)).toBeLessThan(seen(40, 1));
    expect(seen(80, 1)).toBeLessThan(seen(40, 2));
    expect(seen(40, 1e9)).toBeCloseTo(detectable(Math.sqrt(0.05 / 40)), 6);
    expect(detectableWith({ tasks: 40, repeats: 1, comparisons: 6 }, components)).toBeGreaterThan(seen(40, 1));
  });

  it("finds the components that outcomes were drawn with", () => {
    const random = seededRandom(3);
    const cells = Array.from({ length: 4000 }, () => {
      const [rateA, rateB] = [0.2 + 0.6 * random(), random() < 0.5 ? 0.9 : 0.1];
      const trials = (rate: number): number[] => Array.from({ length: 3 }, () => (random() < rate ? 1 : 0));
      return { a: trials(rateA), b: trials(rateB) };
    });
    const found = varianceComponents(cells);
    expect(found?.withinA).toBeCloseTo(0.25 - 0.03, 2); // E[p(1 − p)], p uniform on [0.2, 0.8]
    expect(found?.withinB).toBeCloseTo(0.09, 2);
    expect(Math.abs((found?.between ?? 0) - (0.03 + 0.16))).toBeLessThan(0.02);
  });

  it("does not guess components from single trials", () => {
    expect(varianceComponents([0, 1, 0, 1].map((x) => ({ a: [x], b: [1 - x] })))).toBeUndefined();
  });
});

describe("pass@k and pass^k", () => {
  it("are the shares of draws without replacement", () => {
    expect(passAtK(2, 5, 1)).toBeCloseTo(0.4, 12);
    expect(passAtK(2, 5, 3)).toBeCloseTo(1 - 1 / 10, 12); // C(3, 3)/C(5, 3)
    expect(passAllK(4, 5, 2)).toBeCloseTo(6 / 10, 12);
    expect([passAtK(2, 5, 6), passAllK(2, 5, 6)]).toEqual([null, null]);
  });

  it("stay between 0 and 1 and in order for thousands of trials", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(40), (m, share, more) => {
        const k = Math.min(m, 1 + more);
        const c = Math.round(share * m);
        const [any, all] = [passAtK(c, m, k) ?? -1, passAllK(c, m, k) ?? -1];
        expect(all).toBeGreaterThanOrEqual(0);
        expect(any).toBeLessThanOrEqual(1);
        expect(any + 1e-9).toBeGreaterThanOrEqual(c / m);
        expect(all - 1e-9).toBeLessThanOrEqual(c / m);
      }),
    );
  });
});

describe("a group's difference", () => {
  const tasks = (value: number, n: number): number[] => Array.from({ length: n }, (_, i) => value + (i % 2 ? 0.5 : -0.5));

  it("shrinks all the way where groups differ no more than chance explains", () => {
    const groups = shrink([tasks(0.1, 4), tasks(0.12, 4), tasks(0.08, 4)]);
    for (const { value } of groups) expect(value).toBeCloseTo(0.1, 10);
  });

  it("keeps most of a large group's and little of a small one's", () => {
    const [large, small, rest] = shrink([tasks(0.8, 60), tasks(0.8, 2), tasks(0, 60)]);
    expect(large?.value).toBeGreaterThan(0.75);
    expect(small?.value).toBeLessThan(large?.value ?? 0);
    expect(rest?.value).toBeLessThan(0.05);
    expect(small?.se).toBeGreaterThan(large?.se ?? 1);
  });

  it("lies between its own mean and the common one", () => {
    const group = fc.array(fc.constantFrom(-1, 0, 1), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(group, { minLength: 1, maxLength: 6 }), (groups) => {
        const all = groups.flat();
        const common = all.reduce<number>((sum, d) => sum + d, 0) / all.length;
        for (const { raw, value } of shrink(groups)) {
          expect(value).toBeGreaterThanOrEqual(Math.min(raw, common) - 1e-9);
          expect(value).toBeLessThanOrEqual(Math.max(raw, common) + 1e-9);
        }
      }),
    );
  });
});
