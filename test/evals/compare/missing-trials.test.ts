import { assert, constantFrom, integer, property, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { compare, type Comparison, type PairComparison } from "../../../evals/compare/compare.ts";
import { gateOf } from "../../../evals/compare/pipeline-gate.ts";
import { comparisonMarkdown } from "../../../reports/markdown/comparison.ts";
import { seededRandom } from "../../../harness/seeded-random.ts";
import { job, suite, inFull } from "./scored-job.ts";
import { rowsOf, tableOf, type Row } from "./tables.ts";

const of = (rows: readonly Row[], o: Parameters<typeof compare>[1] = {}): Comparison => compare([], o, [tableOf(rows)]);
const pairOf = (rows: readonly Row[], o: Parameters<typeof compare>[1] = {}): PairComparison => {
  const [pair] = of(rows, o).pairs;
  if (!pair) throw new Error("There is no pair.");
  return pair;
};

/** Two arms that pass as often as each other; of the second only the trials that passed are told, or as many of the others as `kept` says. */
function selected(
  seed: number,
  o: { readonly tasks: number; readonly repeats: number; readonly pass: number; readonly kept?: number },
): Row[] {
  const random = seededRandom(seed);
  const a = rowsOf("a", o.tasks, o.repeats, () => (random() < o.pass ? 1 : 0));
  const b = rowsOf("b", o.tasks, o.repeats, () => (random() < o.pass ? 1 : random() < (o.kept ?? 0) ? 0 : undefined));
  return [...a, ...b];
}

describe("trials that are missing", () => {
  it("because they failed make no arm better, however many there were of a task", () => {
    for (const repeats of [1, 3, 5]) {
      const told = of(selected(7, { tasks: 60, repeats, pass: 0.5 }));
      const [pair] = told.pairs;
      expect(pair?.readings[0]?.newTasks.low).toBeGreaterThan(0.2); // what it looks like without them
      expect(pair?.verdict.word).toBe("no difference shown");
      expect(pair?.verdict.text).toMatch(
        /, with trials that are missing or have no score .*\)\. It shows when they are left out: .*Missing: \d+ of \d+ trials of b\./,
      );
      expect(inFull(told)).toMatch(/\d+ trials missing, above left out\n +as failures/);
      expect(comparisonMarkdown(told)).toMatch(/\d+ trials missing\./);
    }
  });

  it("make no arm better that is not, whatever share of them is left out and however easy the tasks are", () => {
    const better = { times: 0, of: 0 };
    assert(
      property(
        tuple(integer(), constantFrom(1, 3, 5), constantFrom(0.1, 0.5, 0.8, 0.95), constantFrom(0, 0.3)),
        ([seed, repeats, pass, kept]) => {
          const { verdict } = pairOf(selected(seed, { tasks: 40, repeats, pass, kept }));
          better.of++;
          if (verdict.word === "better") better.times++;
        },
      ),
      { numRuns: 120, seed: 20261123 },
    );
    expect(better.times / better.of).toBeLessThanOrEqual(0.05);
  });

  it("leave a verdict that does not rest on them, and it says so", () => {
    const a = rowsOf("a", 40, 3, (task) => (task < 4 ? 1 : 0));
    const b = rowsOf("b", 40, 3, (task, repeat) => (task < 3 && repeat === 3 ? undefined : 1));
    const { verdict, missing } = pairOf([...a, ...b]);
    expect(verdict.word).toBe("better");
    expect(verdict.text).toMatch(/Missing: 3 of 120 trials of b; it holds however they are read\.$/);
    expect(missing).toEqual({ a: { missing: 0, of: 120 }, b: { missing: 3, of: 120 }, tasks: 0 });
  });

  it("are none where both arms have as many, however they are numbered", () => {
    assert(
      property(tuple(integer({ min: 1, max: 5 }), integer({ min: 0, max: 9 }), integer({ min: 0, max: 9 })), ([repeats, fromA, fromB]) => {
        const shifted = (arm: string, by: number, score: number): Row[] =>
          rowsOf(arm, 20, repeats, (task) => (task % 2 === 0 ? score : 0)).map(([task, name, repeat, one]) => [
            task,
            name,
            repeat + by,
            one,
          ]);
        const { lost, verdict } = pairOf([...shifted("a", fromA, 0), ...shifted("b", fromB, 1)]);
        expect(lost).toBe(0);
        expect(verdict.word).toBe("better");
        expect(verdict.text).not.toContain("Missing");
      }),
      { numRuns: 30 },
    );
  });

  it("are none where an arm was plainly made with fewer repeats, also where it lacks a few of those", () => {
    const a = rowsOf("a", 40, 5, (task) => (task < 10 ? 1 : 0));
    const [one, three] = [1, 3].map((repeats) => rowsOf("b", 40, repeats, (task) => (task < 30 ? 1 : 0)));
    for (const b of [one ?? [], three ?? []]) {
      expect(pairOf([...a, ...b])).toMatchObject({ lost: 0, verdict: { word: "better" } });
      expect(pairOf([...b, ...a])).toMatchObject({ lost: 0, verdict: { word: "better" } }); // rows come in no order
    }
    const few = pairOf([...a, ...(three ?? []).slice(2)]);
    expect(few).toMatchObject({ missing: { b: { missing: 2, of: 120 } }, verdict: { word: "better" } });
  });

  it("of tasks that one arm lacks altogether count too, unless they are said to be none of its", () => {
    const a = rowsOf("a", 60, 1, (task) => (task < 30 ? 0 : 1));
    const b = rowsOf("b", 30, 1, (task) => (task < 12 ? 1 : 0));
    const { verdict } = pairOf([...a, ...b]);
    expect(verdict.word).toBe("no difference shown");
    expect(verdict.text).toMatch(/Missing: 30 of 60 trials of b\. Where the 30 tasks that only one of them has .* --common-tasks\.$/);
    expect(pairOf([...a, ...b], { commonTasks: true })).toMatchObject({ lost: 0, verdict: { word: "better" } });
  });

  it("of a job are what its lock planned, and other tasks or repeats of another job are no loss", () => {
    const before = job({ a: suite(40, () => 0, 3) });
    const now = job({ b: suite(30, (i) => (i < 20 ? 1 : 0)) }, { folder: "jobs/b" });
    const three = { ...before, lock: { ...before.lock, repeats: 3 } };
    const [pair] = compare([three, now]).pairs;
    expect(pair).toMatchObject({ lost: 0, verdict: { word: "better" } });
  });
});

describe("a job that has not come to its end", () => {
  const whole = job({ a: suite(40, () => 1), b: suite(40, (i) => (i < 20 ? 1 : 0)) });
  const cut = { ...whole, records: whole.records.filter(({ configuration, score }) => configuration === "a" || score === 1) };

  it("gets no verdict, says what it has so far and what to do, and passes no gate", () => {
    expect(compare([whole]).pairs[0]?.verdict.word).toBe("worse");
    const told = compare([cut]);
    expect(told.pairs[0]?.verdict).toMatchObject({ word: "withheld" });
    expect(told.pairs[0]?.verdict.text).toBe(
      "Verdict withheld: jobs/a has 60 of 80 results; run the same forge bench again to resume it. Looking before the end finds differences that are none. So far b differs from a by 0 points on 20 tasks. Missing: 20 of 40 trials of b.",
    );
    expect(told.pairs[0]?.readings.map(({ reading, tasks }) => [reading, tasks])).toEqual([
      ["excluded", 20],
      ["failed", 40],
      ["against", 40],
    ]);
    expect(gateOf(told)).toEqual({
      answer: "underpowered",
      why: "jobs/a is not finished: 60 of 80 trials have a result, so what the whole would show is not known; resume its bench.",
    });
  });

  it("is whole with the part that a copy of it has", () => {
    const named = { ...cut, lock: { ...cut.lock, job: "j" } };
    const copy = { ...whole, folder: "jobs/copy", lock: { ...whole.lock, job: "j" } };
    expect(compare([named, copy]).pairs[0]?.lost).toBe(0);
  });
});
