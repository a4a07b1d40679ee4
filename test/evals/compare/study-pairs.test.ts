import { describe, expect, it } from "vitest";
import { compare } from "../../../evals/compare/compare.ts";
import type { FinishedJob } from "../../../evals/job/results/load-job.ts";
import type { Study } from "../../../evals/study/study.ts";
import { job, suite } from "./scored-job.ts";

const made = (of: FinishedJob, pairs: Study["pairs"]): FinishedJob => ({ ...of, lock: { ...of.lock, study: { kind: "ablation", pairs } } });
const arms = (names: readonly string[]) => Object.fromEntries(names.map((name, i) => [name, suite(40, (t) => (t % 5 > i ? 1 : 0))]));
const pairsOf = (jobs: readonly FinishedJob[], o: Parameters<typeof compare>[1] = {}): string[] =>
  compare(jobs, o).pairs.map(({ a, b }) => `${a} | ${b}`);

describe("a comparison of a job that was made for a study", () => {
  const whole = made(job(arms(["all", "all − x", "all − y"])), [
    ["all", "all − x"],
    ["all", "all − y"],
  ]);

  it("holds the arms against the baseline they were made for, and adjusts for these comparisons and no others", () => {
    expect(pairsOf([whole])).toEqual(["all | all − x", "all | all − y"]);
    const [x, y] = compare([whole]).pairs.map(({ readings: [main] }) => main);
    // Holm over two: the smaller p twice, the other once or as much
    const [p, q] = [x?.p ?? 0, y?.p ?? 0];
    expect([x?.adjustedP, y?.adjustedP]).toEqual(p <= q ? [2 * p, Math.max(2 * p, q)] : [Math.max(2 * q, p), 2 * q]);
    const everyPair = compare([{ ...whole, lock: { ...whole.lock, study: undefined } }]);
    expect(everyPair.pairs).toHaveLength(3);
  });

  it("has two baselines where something was added in too", () => {
    const added = made(job(arms(["all", "all − x", "none", "none + x"])), [
      ["all", "all − x"],
      ["none", "none + x"],
    ]);
    expect(pairsOf([added])).toEqual(["all | all − x", "none | none + x"]);
  });

  it("holds a configuration that was added later against the first baseline", () => {
    const later = made(job(arms(["all", "all − x", "mine"])), [["all", "all − x"]]);
    expect(pairsOf([later])).toEqual(["all | all − x", "all | mine"]);
  });

  it("follows --baseline, and another job without a study, to all pairs as ever", () => {
    expect(pairsOf([whole], { baseline: "all − y" })).toEqual(["all − y | all", "all − y | all − x"]);
    expect(pairsOf([whole, job(arms(["other"]), { folder: "jobs/b" })])).toHaveLength(6);
  });

  it("is the same over two jobs of one study", () => {
    const half = (folder: string, from: number): FinishedJob => {
      const { lock, records } = made(job(arms(["all", "all − x"]), { folder }), [["all", "all − x"]]);
      return { folder, lock, records: records.filter((_, i) => i % 2 === from) };
    };
    const both = compare([half("jobs/a", 0), half("jobs/b", 1)]);
    expect(both.pairs.map(({ a, b, readings }) => [a, b, readings[0]?.tasks])).toEqual([["all", "all − x", 40]]);
  });
});
