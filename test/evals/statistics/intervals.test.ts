import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equivalence } from "../../../evals/statistics/equivalence.ts";
import { bonettPrice, tInterval, wilson } from "../../../evals/statistics/interval.ts";
import { pairedDifference } from "../../../evals/statistics/paired-test.ts";
import { thisSuite } from "../../../evals/statistics/this-suite.ts";

describe("an interval", () => {
  it("of one pass rate is Wilson's, as published", () => {
    // Newcombe, Stat. Med. 17 (1998) 857–872, table I, method 3
    expect(wilson(81, 263)).toMatchObject({ low: expect.closeTo(0.2553, 4), high: expect.closeTo(0.3662, 4) });
    expect(wilson(15, 148)).toMatchObject({ low: expect.closeTo(0.0624, 4), high: expect.closeTo(0.1605, 4) });
    expect(wilson(0, 20)).toMatchObject({ low: 0, high: expect.closeTo(0.1611, 4) });
    expect(wilson(1, 29)).toMatchObject({ low: expect.closeTo(0.0061, 4), high: expect.closeTo(0.1718, 4) });
  });

  it("of a mean takes the task as the cluster: Student's t over its means", () => {
    // t(4) = 2.776445 at 97.5 %
    expect(tInterval([0, 0.25, 0.5, 0.75, 1]).low).toBeCloseTo(0.5 - 2.776445 * Math.sqrt(0.15625 / 5), 5);
    expect(tInterval([1])).toMatchObject({ low: 0, high: 1 });
  });

  it("of two paired shares is Bonett and Price's, as in their own example", () => {
    // Bonett's ci.prop.ps(.05, 12, 26, 4, 6) and its older form with 26 and 4 of 40: 0.3126438 to 0.7349752
    expect(bonettPrice(26, 4, 40)).toMatchObject({ low: expect.closeTo(0.3126438, 6), high: expect.closeTo(0.7349752, 6) });
  });

  it("of two paired shares holds together and turns round with the arms", () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(40), fc.nat(40), (gained, lost, same) => {
        const n = gained + lost + same + 1;
        const there = bonettPrice(gained, lost, n);
        const back = bonettPrice(lost, gained, n);
        expect(there.low).toBeLessThanOrEqual(there.high);
        expect(there.low).toBeCloseTo(-back.high, 10);
        expect(there.value).toBeCloseTo(-back.value, 10);
      }),
    );
  });

  it("of differences that are all alike still has a width", () => {
    for (const d of [0, 1 / 3]) {
      const { estimate } = pairedDifference(
        Array.from({ length: 20 }, () => d),
        false,
      );
      expect(estimate.value).toBeCloseTo(d, 12);
      expect(estimate.high - estimate.low).toBeGreaterThan(0.15);
    }
  });

  it("of a difference is the same whatever the order of the tasks, and mirrored when the arms change places", () => {
    const differences = fc.array(fc.constantFrom(-1, -2 / 3, -1 / 3, 0, 1 / 3, 2 / 3, 1), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(differences, (ds) => {
        const here = pairedDifference(ds, false);
        const mirrored = pairedDifference(ds.map((d) => -d).toReversed(), false);
        expect(mirrored.p).toBeCloseTo(here.p, 10);
        expect(mirrored.estimate.high).toBeCloseTo(-here.estimate.low, 10);
      }),
    );
  });
});

describe("the difference on this suite", () => {
  const agree = (passed: boolean): number[] => [0, 0, 0].map(() => (passed ? 1 : 0));

  it("ignores what tasks differ by, the one on new tasks does not", () => {
    const cells = Array.from({ length: 12 }, (_, i) => ({ a: agree(false), b: agree(i < 3) }));
    expect(thisSuite(cells).low).toBeGreaterThan(0);
    expect(thisSuite(cells).p).toBeLessThan(0.01);
    expect(
      tInterval(
        cells.map((_, i) => (i < 3 ? 1 : 0)),
        0.05,
        [-1, 1],
      ).low,
    ).toBeLessThan(0);
  });

  it("is never known for certain from repeats that agree", () => {
    const { value, low, high } = thisSuite(Array.from({ length: 16 }, (_, i) => ({ a: agree(i === 0), b: agree(false) })));
    expect(value).toBeCloseTo(-1 / 16, 12);
    expect(high - low).toBeGreaterThan(0.05);
    expect(high).toBeGreaterThan(0); // one task of sixteen is not enough
  });

  it("has the standard error of its repeats alone", () => {
    // two cells with s² = ½ in B only: 2 · ½/2, and the two added cells of ½/2 each
    const cells = [0, 1].map(() => ({ a: [0, 0], b: [0, 1] }));
    expect(thisSuite(cells).se).toBeCloseTo(Math.sqrt(2 * 0.25 + 2 * 0.25) / 2, 12);
  });
});

describe("equivalence", () => {
  it("is the larger of two one-sided tests", () => {
    // t(24) at 2.0: one-sided p 0.02847
    expect(equivalence({ value: 0, centre: 0, se: 0.05, low: -0.1, high: 0.1, df: 24 }, 0.1)).toBeCloseTo(0.02847, 4);
    expect(equivalence({ value: 0, centre: 0, se: 0.05, low: -0.1, high: 0.1, df: null }, 0.1)).toBeCloseTo(0.02275, 4);
    expect(equivalence({ value: 0.1, centre: 0.1, se: 0.05, low: 0, high: 0.2, df: null }, 0.1)).toBeCloseTo(0.5, 10);
  });

  it("is shown exactly when the 90 % interval lies within the margin", () => {
    fc.assert(
      fc.property(
        fc.nat(30),
        fc.nat(30),
        fc.integer({ min: 1, max: 200 }),
        fc.double({ min: 0.01, max: 0.5, noNaN: true }),
        (g, l, same, m) => {
          const n = g + l + same;
          const ninety = bonettPrice(g, l, n, 0.1);
          fc.pre(Math.abs(Math.max(ninety.high, -ninety.low) - m) > 1e-6);
          expect(equivalence(bonettPrice(g, l, n), m) < 0.05).toBe(ninety.low > -m && ninety.high < m);
        },
      ),
    );
  });
});
