import { assert, constantFrom, integer, property, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { compare, type Comparison, type PairComparison } from "../../../evals/compare/compare.ts";
import { variantStem } from "../../../evals/compare/families.ts";
import { plan } from "../../../evals/compare/plan-comparison.ts";
import { describePlan } from "../../../reports/terminal/comparison/comparison-plan.ts";
import { seededRandom } from "../../../harness/seeded-random.ts";
import { job, suite, type Scores, inFull, unwrapped } from "./scored-job.ts";

const inFamiliesOf =
  (size: number) =>
  (task: string): string =>
    `family ${Math.floor(Number(task.slice(1)) / size)}`;
const pairOf = (comparison: Comparison): PairComparison => {
  const [pair] = comparison.pairs;
  if (!pair) throw new Error("There is no pair.");
  return pair;
};
/** Scores of two arms drawn task by task. */
function drawn(seed: number, tasks: number, repeats: number, gain = 0): { a: Scores; b: Scores } {
  const random = seededRandom(seed);
  const scores = (pass: number): Scores =>
    Object.fromEntries(
      Array.from({ length: tasks }, (_, i) => [
        `t${String(i).padStart(2, "0")}`,
        Array.from({ length: repeats }, () => Number(random() < pass)),
      ]),
    );
  return { a: scores(0.4), b: scores(0.4 + gain) };
}

describe("a comparison on families", () => {
  it("has the family as its unit: what all tasks of two families gain is no verdict on new ones", () => {
    const scores = { a: suite(40, () => 0), b: suite(40, (i) => (i < 10 ? 1 : 0)) };
    expect(pairOf(compare([job(scores)])).verdict.word).toBe("better");
    const pair = pairOf(compare([job(scores, { family: inFamiliesOf(5) })]));
    expect(pair.readings[0]).toMatchObject({ tasks: 40, families: 8, test: "sign-flip of families", p: 0.25 });
    expect(pair.verdict.word).toBe("no difference shown");
  });

  it("gives no verdict under 8 families, and an exploratory one under 15", () => {
    const scores = { a: suite(60, () => 0), b: suite(60, () => 1) };
    const few = pairOf(compare([job(scores, { family: inFamiliesOf(9) })]));
    expect(few.verdict.text).toBe(
      "No verdict: 60 tasks of 7 families are too few to decide on; 15 tasks of 8 families are needed, counts only.",
    );
    const some = pairOf(compare([job(scores, { family: inFamiliesOf(5) })]));
    expect(some.verdict).toMatchObject({
      word: "better",
      exploratory: true,
      text: expect.stringMatching(/Exploratory: under 15 families\.$/),
    });
    expect(pairOf(compare([job(scores, { family: inFamiliesOf(4) })])).verdict.exploratory).toBe(false);
  });

  it("weighs families equally, and says what tasks would come to where that is more than two points away", () => {
    const large = (task: string): string => (task < "t20" ? "large" : task);
    const scores = { a: suite(40, () => 0), b: suite(40, (i) => (i < 20 ? 1 : 0)) };
    const comparison = compare([job(scores, { family: large })]);
    expect(pairOf(comparison).readings[0]).toMatchObject({ families: 21, newTasks: { value: 1 / 21 }, taskWeighted: 0.5 });
    expect(inFull(comparison)).toContain("+50 points where tasks weigh equally; above, families do");
    expect(inFull(compare([job(scores, { family: inFamiliesOf(2) })]))).not.toContain("weigh equally");
  });

  it("is the one on tasks where each family has one", () => {
    const scores = drawn(3, 40, 3);
    const [plain, named] = [compare([job(scores)]), compare([job(scores, { family: (task) => task })])];
    expect(pairOf(named).readings).toEqual(pairOf(plain).readings);
    expect(pairOf(named).verdict).toEqual(pairOf(plain).verdict);
  });

  it("turns round with the arms, and changes nothing with the names of families", () => {
    assert(
      property(tuple(integer(), constantFrom(1, 3), constantFrom(2, 3, 5), constantFrom(0, 0.3)), ([seed, repeats, size, gain]) => {
        const { a, b } = drawn(seed, 45, repeats, gain);
        const family = inFamiliesOf(size);
        const one = pairOf(compare([job({ a, b }, { family })]));
        const turned = pairOf(compare([job({ a: b, b: a }, { family })]));
        const renamed = pairOf(compare([job({ a, b }, { family: (task) => `${100 - Number(family(task).slice(7))}` })]));
        const mirror: Partial<Record<string, string>> = {
          better: "worse",
          worse: "better",
          "better on this suite only": "worse on this suite only",
          "worse on this suite only": "better on this suite only",
        };
        expect(turned.verdict.word).toBe(mirror[one.verdict.word] ?? one.verdict.word);
        const [x, y] = [one.readings[0], turned.readings[0]];
        expect(y?.newTasks.low).toBeCloseTo(-(x?.newTasks.high ?? 9), 10);
        expect(y?.p).toBeCloseTo(x?.p ?? 9, 10);
        expect(renamed.verdict).toEqual(one.verdict);
        expect(renamed.readings[0]?.newTasks).toEqual(x?.newTasks);
      }),
      { numRuns: 40 },
    );
  });

  it("offers names of variants, and takes them for families only where it is told to", () => {
    const ending = (i: number): string => ["", ".easy", ".hard"][i % 3] ?? "";
    const named = (scores: Scores): Scores =>
      Object.fromEntries(
        Object.entries(scores).map(([, cell], i) => [`task ${String.fromCharCode(97 + Math.floor(i / 3))}${ending(i)}`, cell]),
      );
    const scores = { a: named(suite(45, () => 0)), b: named(suite(45, (i) => Number(i < 15))) };
    const plain = compare([job(scores)]);
    expect(pairOf(plain).readings[0]?.families).toBeNull();
    expect(unwrapped(inFull(plain))).toContain(
      "not known: whether 45 tasks whose names look like variants (task a, task a.easy) are 15 families, whose tasks would not be independent",
    );
    const taken = compare([job(scores)], { variants: true });
    expect(pairOf(taken).readings[0]?.families).toBe(15);
    expect(taken.notKnown).toEqual([]);
    expect(compare([job({ a: suite(40, () => 0), b: suite(40, () => 1) })]).notKnown).toEqual([]);
  });

  it.each([
    ["crack-7z-hash.hard", "crack-7z-hash"],
    ["group-totals-easy-0007", "group-totals"],
    ["swe-bench-astropy-2", "swe-bench-astropy"],
    ["org/name-v2", "org/name"],
    ["org/7", "org/7"],
    [".hidden", ".hidden"],
    ["t07", "t07"],
  ])("takes %s for a variant of %s", (task, stem) => {
    expect(variantStem(task)).toBe(stem);
  });
});

describe("a plan on families", () => {
  it("sees less on as many tasks, and what repeats within a family would gain is little", () => {
    const ask = { tasks: 40, repeats: 3, configurations: 2 };
    const [tasks, families] = [plan(ask), plan({ ...ask, families: 10, difference: 0.15 })];
    expect(families.asked.detectable).toBeGreaterThan(tasks.asked.detectable);
    expect(families.alternatives[0]).toMatchObject({ tasks: 80, families: 20 });
    const needed = families.tasksNeeded ?? 0;
    expect(plan({ ...ask, tasks: needed, families: needed / 4 }).asked.detectable).toBeLessThanOrEqual(0.15 + 1e-9);
    const text = describePlan(families);
    expect(text).toMatch(/^40 tasks of 10 families × 3 repeats can see a difference of \d+ points or more\.\n/);
    expect(text).toContain("Under 30 tasks or 15 families a verdict is exploratory.");
    expect(text).toContain("How alike the tasks of one family are is a guess: a correlation of 0.35");
    expect(() => plan({ ...ask, families: 41 })).toThrow("--families: 40 tasks have at most 40 families, got 41.");
  });

  it("takes their variance and size from a past job, and agrees with its comparison", () => {
    const { a, b } = drawn(5, 60, 3, 0.2);
    const past = compare([job({ a, b: { ...b, ...suite(12, () => 1, 3) } }, { family: inFamiliesOf(4) })]);
    const planned = plan({ tasks: 60, repeats: 3, configurations: 2 }, past);
    expect(planned.asked.families).toBe(15);
    expect(planned.components.family).toBeGreaterThan(0);
    const seen = pairOf(past).readings[0]?.couldHaveSeen ?? 0;
    expect(planned.asked.detectable / seen).toBeGreaterThan(0.9);
    expect(planned.asked.detectable / seen).toBeLessThan(1.15); // components under 0 count as 0
    expect(planned.notes).toEqual([]);
  });
});
