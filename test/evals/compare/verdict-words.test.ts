import { assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { compare, type Comparison, type PairComparison } from "../../../evals/compare/compare.ts";
import { gateOf } from "../../../evals/compare/pipeline-gate.ts";
import { describeComparison } from "../../../reports/terminal/comparison/comparison.ts";
import { seededRandom } from "../../../harness/seeded-random.ts";
import { job, suite } from "./scored-job.ts";
import { rowsOf, tableOf } from "./tables.ts";

const pairOf = (comparison: Comparison): PairComparison => {
  const [pair] = comparison.pairs;
  if (!pair) throw new Error("There is no pair.");
  return pair;
};

describe("a difference on these tasks alone", () => {
  const whole = suite(20, () => 1, 5);
  const broken = suite(20, (i) => (i < 4 ? 0 : 1), 5);

  it("is told in both directions, with the suite's own interval and p", () => {
    const loss = compare([job({ a: whole, b: broken })]);
    expect(pairOf(loss).verdict.word).toBe("worse on this suite only");
    expect(pairOf(loss).verdict.text).toMatch(
      /^b is worse than a on this suite only, by 20 points \(95 % interval \d+ to \d+, p (=|<) \.000\d+\)\. That shows nothing about other tasks: for new ones −20 points, .*, p = \.063\./,
    );
    expect(pairOf(compare([job({ a: broken, b: whole })])).verdict.word).toBe("better on this suite only");
  });

  it("fails a gate when it is a loss, and passes when it is a gain", () => {
    expect(gateOf(compare([job({ a: whole, b: broken })]))).toEqual({
      answer: "failed",
      why: "b: worse than the baseline on these tasks.",
    });
    expect(gateOf(compare([job({ a: broken, b: whole })])).answer).toBe("passed");
  });

  it("is not told on fewer than three repeats", () => {
    expect(pairOf(compare([job({ a: suite(20, () => 1, 2), b: suite(20, (i) => (i < 4 ? 0 : 1), 2) })])).verdict.word).toBe(
      "no difference shown",
    );
  });
});

describe("equivalence on several repeats", () => {
  it("rests on two tasks more, one that differs wholly each way, as on one repeat, and so does a gate's margin", () => {
    // one of 40 tasks breaks: the sample alone would rule out eight points, with p = 0.017
    const [a, b] = [suite(40, () => 1, 3), suite(40, (i) => (i === 0 ? 0 : 1), 3)];
    const compared = compare([job({ a, b })], { margin: 0.08 });
    const [main] = pairOf(compared).readings;
    expect(main?.cautious.se).toBeGreaterThan(2 * (main?.newTasks.se ?? 1) * 0.75);
    expect(main?.equivalenceP).toBeGreaterThan(0.05);
    expect(pairOf(compared).verdict.word).not.toBe("equivalent");
    expect(gateOf(compared)).toMatchObject({
      answer: "underpowered",
      why: expect.stringMatching(/^b may be worse by as much as 1\d points/),
    });
    const same = compare([job({ a: suite(200, () => 1, 3), b: suite(200, (i) => (i < 2 ? 0 : 1), 3) })], { margin: 0.1 });
    expect(pairOf(same).verdict.word).toBe("equivalent");
  });
});

describe("several comparisons", () => {
  /** Arms of differing chance to pass, 20 tasks, three repeats. */
  const drawn = (seed: number): Comparison => {
    const random = seededRandom(seed);
    const arm = (name: string, pass: number): ReturnType<typeof rowsOf> => rowsOf(name, 20, 3, () => Number(random() < pass));
    return compare([], {}, [tableOf([...arm("a", 0.4), ...arm("b", 0.5), ...arm("c", 0.6), ...arm("d", 0.7)])]);
  };

  it("have intervals that are held together: none without 0 is beside a p of 5 % or more, or under no difference shown", () => {
    assert(
      property(integer(), (seed) => {
        for (const { verdict, readings } of drawn(seed).pairs) {
          const [main] = readings;
          if (!main) continue;
          const { low, high } = main.newTasks;
          if (main.adjustedP >= 0.05) expect(low <= 0 && high >= 0).toBe(true);
          if (verdict.word === "no difference shown") expect(low <= 0 && high >= 0).toBe(true);
          if (verdict.word === "better") expect(low).toBeGreaterThan(0);
          if (verdict.word === "worse") expect(high).toBeLessThan(0);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("are called simultaneous, and are wider than one by itself", () => {
    const scores = { a: suite(40, () => 0), b: suite(40, (i) => Number(i < 20)), c: suite(40, (i) => Number(i < 10)) };
    const all = compare([job(scores)]);
    expect(all.pairs[0]?.verdict.text).toContain("by 50 points (simultaneous 95 % interval ");
    const two = compare([job({ a: scores.a, b: scores.b })]);
    expect(pairOf(two).verdict.text).toContain("by 50 points (95 % interval ");
    expect(all.pairs[0]?.readings[0]?.newTasks.low).toBeLessThan(pairOf(two).readings[0]?.newTasks.low ?? 0);
  });
});

describe("trials that are missing", () => {
  it("are told by how many of them the claim can bear", () => {
    const a = rowsOf("a", 60, 1, (task) => Number(task < 12));
    const b = rowsOf("b", 60, 1, (task) => (task < 12 ? (task < 9 ? undefined : 1) : Number(task < 24)));
    const pair = pairOf(compare([], {}, [tableOf([...a, ...b])]));
    expect(pair.lost).toBe(9);
    expect(pair.verdict.word).toBe("no difference shown");
    expect(pair.verdict.text).toMatch(/ \([+−]?[\d.]+ points, 95 % interval (−[\d.]+|0) to /);
    const falls = pair.tipping?.falls ?? 0;
    expect(pair.verdict.text).toContain(`It falls if ${falls} of the 9 missing trials of b failed.`);
    // as many failures, and the others passes: it falls there, and stands with one fewer
    const filled = (failures: number): PairComparison =>
      pairOf(compare([], {}, [tableOf([...a, ...b, ...rowsOf("b", 9, 1, (task) => Number(task >= failures))])]));
    expect(filled(falls).verdict.word).toBe("no difference shown");
    expect(filled(falls - 1).verdict.word).toBe("better");
  });
});

describe("results of another runner that are not at their end", () => {
  it("get no verdict, and the page says what to do", () => {
    const rows = [...rowsOf("a", 40, 1, () => 0), ...rowsOf("b", 40, 1, () => 1)];
    const open = "jobs/h is not finished: 80 of 240 trials have a result";
    const runs = { ...tableOf(rows), shortcomings: [open], incomplete: [open], unfinished: [open] };
    const compared = compare([], {}, [runs]);
    expect(pairOf(compared).verdict).toMatchObject({
      word: "withheld",
      text: `Verdict withheld: ${open}; let the run come to its end and compare again. Looking before the end finds differences that are none. So far b differs from a by +100 points on 40 tasks.`,
    });
    expect(gateOf(compared).answer).toBe("underpowered");
    expect(describeComparison(compared)).not.toContain("is better than");
  });
});
