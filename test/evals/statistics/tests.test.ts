import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anytimeInterval, eValue } from "../../../evals/statistics/e-process.ts";
import { holm } from "../../../evals/statistics/holm.ts";
import { mcNemar } from "../../../evals/statistics/mc-nemar.ts";
import { signFlip } from "../../../evals/statistics/sign-flip.ts";
import { seededRandom } from "../../../harness/seeded-random.ts";

describe("McNemar's test", () => {
  it("gives the published values", () => {
    // Fagerland et al. (2013), airway hyper-responsiveness, 1 and 7 discordant pairs
    expect(mcNemar(1, 7)).toEqual({ exact: expect.closeTo(0.0703, 4), midP: expect.closeTo(0.0391, 4) });
    expect(mcNemar(0, 0)).toEqual({ exact: 1, midP: 1 });
  });

  it("is the binomial sum, and holds for thousands of pairs", () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), (gained, lost) => {
        const n = gained + lost;
        fc.pre(n > 0);
        let choose = 1;
        let [below, at] = [0, 1];
        for (let k = 0; k <= Math.min(gained, lost); k++) {
          if (k > 0) choose = (choose * (n - k + 1)) / k;
          at = choose / 2 ** n;
          if (k < Math.min(gained, lost)) below += at;
        }
        expect(mcNemar(gained, lost).midP).toBeCloseTo(Math.min(1, 2 * below + at), 7);
        expect(mcNemar(gained, lost).exact).toBeCloseTo(Math.min(1, 2 * (below + at)), 7);
      }),
    );
    expect(mcNemar(5100, 4900).midP).toBeCloseTo(0.0455, 3); // z = 2
  });
});

describe("the sign-flip test", () => {
  it("is exact over all patterns, and 1 where nothing differs", () => {
    expect(signFlip([1, 1, 1, 1])).toEqual({ p: 1 / 16, method: "exact" }); // two of 16 patterns, which come to the very sum
    expect(signFlip([2 ** -0.5, 1, 2 ** 0.5]).p).toBeCloseTo(1 / 8, 12);
    expect(signFlip([])).toEqual({ p: 1, method: "exact" });
    expect(signFlip([0, 0, 0])).toEqual({ p: 1, method: "exact" });
  });

  it("gives Fisher's p of Darwin's maize", () => {
    // Differences in eighths of an inch, Fisher, The Design of Experiments (1935) §21: 1,726 of 2^15 patterns reach the sum, 56 of which are no more than it
    const darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
    expect(signFlip(darwin.map((d) => d / 100.5)).p).toBeCloseTo(1698 / 2 ** 15, 12);
    expect(signFlip(darwin).p).toBeCloseTo(1698 / 2 ** 15, 12);
  });

  it("adds up the distribution of the sum to the same p as trying every pattern", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -15, max: 15 }), { maxLength: 11 }), (whole) => {
        const observed = Math.abs(whole.reduce((sum, d) => sum + d, 0));
        let hits = 0;
        for (let pattern = 0; pattern < 2 ** whole.length; pattern++)
          hits += [0, 0.5, 1][1 + Math.sign(Math.abs(whole.reduce((sum, d, i) => sum + ((pattern >> i) & 1 ? d : -d), 0)) - observed)] ?? 0;
        if (observed === 0) hits = 2 ** whole.length;
        expect(signFlip(whole.map((d) => d / Math.E / 5)).p).toBeCloseTo(hits / 2 ** whole.length, 12);
        expect(signFlip(whole.map((d) => d / 15)).p).toBeCloseTo(hits / 2 ** whole.length, 12);
      }),
    );
  });

  it("tries every pattern of sixteen differences without a common denominator, and draws from those of seventeen", () => {
    const methods = [16, 17].map((count) => signFlip(Array.from({ length: count }, (_, i) => Math.sqrt(i + 2))).method);
    expect(methods).toEqual(["exact", "sampled"]);
  });

  it("comes to the same p by drawing patterns as by the distribution of the sum", () => {
    const tenths = Array.from({ length: 40 }, (_, i) => (i % 3 === 0 ? -0.1 : 0.1));
    const drawn = signFlip(tenths.map((d, i) => d + (i % 2 === 0 ? 1e-6 : -1e-6) * Math.SQRT2));
    expect([signFlip(tenths).method, drawn.method]).toEqual(["exact", "sampled"]);
    expect(Math.abs(drawn.p - signFlip(tenths).p)).toBeLessThan(0.01); // four standard errors of 10,000 draws
  });

  it("is exact for a hundred tasks with a common denominator, and sampled by seed without, never 0", () => {
    const many = Array.from({ length: 100 }, (_, i) => (i % 3 === 0 ? -0.2 : 0.4));
    expect(signFlip(many).method).toBe("exact");
    const odd = many.map((d, i) => d + i * 1e-4 * Math.SQRT2);
    expect(signFlip(odd, 7)).toEqual(signFlip(odd, 7));
    expect(signFlip(odd).method).toBe("sampled");
    expect(signFlip(Array.from({ length: 40 }, (_, i) => 0.5 + i * 1e-3 * Math.SQRT2)).p).toBe(1 / 10_001);
  });
});

describe("laws of the sign-flip test", () => {
  const differences = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 30 });

  it("changes nothing with the names of the arms or the order of the tasks", () => {
    fc.assert(
      fc.property(differences, (all) => {
        expect(signFlip(all.map((d) => -d)).p).toBeCloseTo(signFlip(all).p, all.length > 16 ? 1 : 12);
        expect(signFlip(all.toReversed())).toEqual(signFlip(all));
      }),
    );
  });

  it("is McNemar's mid-p where every task differs by one pass", () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), (gained, lost) => {
        const all = [...Array.from({ length: gained }, () => 1), ...Array.from({ length: lost }, () => -1)];
        expect(signFlip(all).p).toBeCloseTo(mcNemar(gained, lost).midP, 7);
      }),
    );
  });
});

describe("the sign-flip test of thousands of tasks", () => {
  it("is the normal one, and agrees with the exact one where both can be had", () => {
    const tilted = (n: number): number[] => Array.from({ length: n }, (_, i) => (i % 5 === 0 ? (i % 100 < 45 ? -1 : 1) : 0));
    const few = signFlip(tilted(9000));
    expect(few.method).toBe("exact");
    const many = signFlip(
      tilted(9000)
        .map((d, i) => d * (1 + i * 1e-9 * Math.SQRT2))
        .concat(Array.from({ length: 400 }, (_, i) => (i % 2 ? 1e-7 : -1e-7))),
    );
    expect(many.method).toBe("normal");
    expect(Math.abs(many.p - few.p)).toBeLessThan(0.01);
  });
});

describe("Holm's adjustment", () => {
  it("gives the stepwise example", () => {
    // 4 × .005, 3 × .01, 2 × .03, and .04 no lower than the one before it
    expect(holm([0.01, 0.04, 0.03, 0.005]).map((p) => Number(p.toFixed(6)))).toEqual([0.03, 0.06, 0.06, 0.02]);
  });

  it("never lowers a p and keeps their order", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 }), (ps) => {
        const adjusted = holm(ps);
        adjusted.forEach((p, i) => expect(p).toBeGreaterThanOrEqual((ps[i] ?? 0) - 1e-15));
        const byRaw = ps.map((p, i) => ({ p, a: adjusted[i] ?? 0 })).toSorted((x, y) => x.p - y.p);
        for (let i = 1; i < byRaw.length; i++) expect(byRaw[i]?.a).toBeGreaterThanOrEqual(byRaw[i - 1]?.a ?? 0);
      }),
    );
  });
});

describe("the e-process", () => {
  const outcomes = (gains: number, losses: number, same: number): number[] => [
    ...Array.from({ length: gains }, () => 1),
    ...Array.from({ length: losses }, () => -1),
    ...Array.from({ length: same }, () => 0),
  ];
  /** 2^(b+c)·B(½+b, ½+c)/B(½, ½), factor by factor. */
  const closedForm = (gains: number, losses: number): number => {
    let value = 1;
    for (let i = 0; i < gains; i++) value *= (2 * (i + 0.5)) / (i + 1);
    for (let j = 0; j < losses; j++) value *= (2 * (j + 0.5)) / (gains + j + 1);
    return value;
  };

  it("has the closed form for pass or fail, whatever stays the same", () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), fc.nat(40), (gains, losses, same) => {
        const expected = closedForm(gains, losses);
        expect(eValue(outcomes(gains, losses, same)) / expected).toBeCloseTo(1, 8);
      }),
    );
    expect(eValue(outcomes(6, 0, 9))).toBeCloseTo(2 ** 6 * (231 / 1024), 8); // C(12, 6)/4^6 = 231/1024
  });

  it("is a fair game against every mean: it gains nothing on average", () => {
    for (const [up, down] of [
      [0.2, 0.2],
      [0.5, 0.1],
      [0.05, 0.6],
    ] as const) {
      // all outcomes of three tasks, weighted by their chance
      const steps = [
        [1, up],
        [-1, down],
        [0, 1 - up - down],
      ] as const;
      let expectation = 0;
      for (const [d1, p1] of steps)
        for (const [d2, p2] of steps) for (const [d3, p3] of steps) expectation += p1 * p2 * p3 * eValue([d1, d2, d3], up - down);
      expect(expectation).toBeCloseTo(1, 10);
    }
  });

  it("has an interval that holds 0 exactly when the e-value is under 20, and holds the average", () => {
    fc.assert(
      fc.property(fc.nat(30), fc.nat(30), fc.nat(30), (gains, losses, same) => {
        fc.pre(gains + losses + same > 0);
        const seen = outcomes(gains, losses, same);
        const { low, high } = anytimeInterval(seen);
        const average = (gains - losses) / seen.length;
        expect(low).toBeLessThanOrEqual(average);
        expect(high).toBeGreaterThanOrEqual(average);
        expect(low < 0 && high > 0).toBe(eValue(seen) < 20);
      }),
      { numRuns: 60 },
    );
  });

  it("is wider than a fixed-sample interval and closes in on the truth", () => {
    const random = seededRandom(5);
    const draw = (n: number): number[] => Array.from({ length: n }, () => (random() < 0.3 ? 1 : random() < 0.2 ? -1 : 0));
    const truth = 0.3 - 0.7 * 0.2;
    const [few, many] = [anytimeInterval(draw(60)), anytimeInterval(draw(3000))];
    for (const { low, high } of [few, many]) {
      expect(low).toBeLessThan(truth);
      expect(high).toBeGreaterThan(truth);
    }
    expect(many.high - many.low).toBeLessThan((few.high - few.low) / 4);
  });
});
