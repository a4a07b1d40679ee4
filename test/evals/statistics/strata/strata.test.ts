import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { benjaminiHochberg } from "../../../../evals/statistics/benjamini-hochberg.ts";
import { fisher } from "../../../../evals/statistics/fisher.ts";
import { dealAgain, exactInterval, exactP } from "../../../../evals/statistics/strata/exact-strata.ts";
import { mantelHaenszel } from "../../../../evals/statistics/strata/mantel-haenszel.ts";
import type { TwoByTwo } from "../../../../evals/statistics/strata/two-by-two.ts";

const tables = (...rows: readonly (readonly [number, number, number, number])[]): TwoByTwo[] =>
  rows.map(([a, b, c, d]) => ({ a, b, c, d }));

/** Admissions at Berkeley by department, and penicillin in rabbits by dose: the two examples of R's mantelhaen.test. */
const berkeley = tables(
  [512, 313, 89, 19],
  [353, 207, 17, 8],
  [120, 205, 202, 391],
  [138, 279, 131, 244],
  [53, 138, 94, 299],
  [22, 351, 24, 317],
);
const rabbits = tables([0, 6, 0, 5], [3, 3, 0, 6], [6, 0, 2, 4], [5, 1, 6, 0], [2, 0, 5, 0]);

const someTables = fc.array(fc.record({ a: fc.nat(4), b: fc.nat(4), c: fc.nat(4), d: fc.nat(4) }), { minLength: 1, maxLength: 3 });

describe("the Mantel–Haenszel odds ratio", () => {
  it("gives the published values, with the interval of Robins, Breslow and Greenland", () => {
    const admitted = mantelHaenszel(berkeley);
    expect(admitted.oddsRatio).toBeCloseTo(0.9046968, 7);
    expect([admitted.low, admitted.high]).toEqual([expect.closeTo(0.7719074, 6), expect.closeTo(1.0603298, 6)]);
    expect(admitted.p).toBeCloseTo(0.2277625, 6); // scipy 1.17, convolved by hand
    const cured = mantelHaenszel(rabbits);
    expect(cured.oddsRatio).toBeCloseTo(7, 12);
    expect([cured.low, cured.high]).toEqual([expect.closeTo(1.026713, 5), expect.closeTo(47.725133, 5)]);
    expect(cured.p).toBeCloseTo(0.03994, 5);
  });

  it("has an exact interval where one cell is empty in all strata, and says nothing where no stratum can", () => {
    const perfect = mantelHaenszel(tables([2, 0, 0, 1], [1, 0, 0, 2], [1, 0, 0, 1]));
    expect(perfect.oddsRatio).toBe(Infinity);
    expect(perfect.high).toBe(Infinity);
    expect(perfect.low).toBeGreaterThan(0.4);
    expect(perfect.p).toBeCloseTo(1 / (3 * 3 * 2), 12);
    expect(mantelHaenszel(tables([0, 2, 1, 0], [0, 1, 1, 0]))).toMatchObject({ oddsRatio: 0, low: 0 });
    expect(mantelHaenszel(tables([3, 0, 0, 0], [2, 2, 0, 0]))).toEqual({ oddsRatio: Number.NaN, low: 0, high: Infinity, p: 1 });
  });

  it("is turned round where outcomes are, and does not depend on the order of strata", () => {
    fc.assert(
      fc.property(someTables, (strata) => {
        const one = mantelHaenszel(strata);
        const other = mantelHaenszel(strata.toReversed().map(({ a, b, c, d }) => ({ a: b, b: a, c: d, d: c })));
        expect(other.p).toBeCloseTo(one.p, 9);
        if (Number.isFinite(one.oddsRatio) && one.oddsRatio > 0) expect(other.oddsRatio * one.oddsRatio).toBeCloseTo(1, 9);
      }),
    );
  });
});

describe("dealing outcomes again within strata", () => {
  it("gives the p of trying every deal", () => {
    fc.assert(
      fc.property(someTables, (strata) => {
        const counts = new Map<number, number>([[0, 1]]);
        for (const stratum of strata) {
          const before = [...counts];
          counts.clear();
          for (const [sum, ways] of before)
            for (const withFeature of everyDeal(stratum)) counts.set(sum + withFeature, (counts.get(sum + withFeature) ?? 0) + ways);
        }
        const all = [...counts.values()].reduce((sum, ways) => sum + ways, 0);
        const own = counts.get(strata.reduce((sum, { a }) => sum + a, 0)) ?? 0;
        const hits = [...counts.values()].reduce((sum, ways) => (ways <= own ? sum + ways : sum), 0);
        expect(exactP(dealAgain(strata))).toBeCloseTo(hits / all, 6);
      }),
      { numRuns: 60 },
    );
  });

  it("is Fisher's exact test of one table, with the conditional interval of the odds ratio", () => {
    fc.assert(
      fc.property(fc.nat(9), fc.nat(9), fc.nat(9), fc.nat(9), (a, b, c, d) => {
        expect(exactP(dealAgain(tables([a, b, c, d])))).toBeCloseTo(fisher([a, a + b], [c, c + d]), 7);
      }),
    );
    const tea = dealAgain(tables([3, 1, 1, 3])); // Fisher's tea; the interval is that of scipy 1.17
    expect(exactP(tea)).toBeCloseTo(0.4857, 4);
    expect(exactInterval(tea)).toEqual({ low: expect.closeTo(0.2117356, 6), high: expect.closeTo(626.24353, 3) });
  });

  it("is never 0, however many strata agree", () => {
    const many = mantelHaenszel(Array.from({ length: 2000 }, () => ({ a: 2, b: 0, c: 0, d: 2 })));
    expect(many.p).toBeGreaterThan(0);
    expect(many.p).toBeLessThan(1e-100);
    expect(many.low).toBeGreaterThan(1);
  });
});

/** The number with the feature among the failed, once for each way to choose who failed. */
function everyDeal({ a, b, c, d }: TwoByTwo): number[] {
  const n = a + b + c + d;
  const found: number[] = [];
  for (let failed = 0; failed < 2 ** n; failed++) {
    let [size, withFeature] = [0, 0];
    for (let i = 0; i < n; i++) {
      if (((failed >> i) & 1) === 0) continue;
      size++;
      if (i < a + b) withFeature++;
    }
    if (size === a + c) found.push(withFeature);
  }
  return found;
}

describe("the false-discovery rate", () => {
  it("is Benjamini and Hochberg's, in the order given", () => {
    const adjusted = benjaminiHochberg([0.01, 0.04, 0.03, 0.005, 0.6]); // statsmodels 0.15, fdr_bh
    [0.025, 0.05, 0.05, 0.025, 0.6].forEach((value, i) => expect(adjusted[i]).toBeCloseTo(value, 12));
    expect(benjaminiHochberg([])).toEqual([]);
    expect(benjaminiHochberg([1, 1])).toEqual([1, 1]);
  });
});
