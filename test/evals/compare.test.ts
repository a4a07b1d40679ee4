import { describe, expect, it } from "vitest";
import { compare, type Comparison } from "../../evals/compare/compare.ts";
import type { FinishedJob } from "../../evals/compare/load-job.ts";
import type { TrialRecord } from "../../evals/trial-record.ts";
import { sha256 } from "../../harness/events/hash.ts";
import { describeComparison } from "../../reports/terminal/comparison.ts";

type Scores = Record<string, readonly (number | null)[]>;

/** A job whose configurations scored so: by configuration, by task, a score a repeat; null for a trial without a score. */
function job(
  scores: Record<string, Scores>,
  o: { folder?: string; simulated?: boolean; digest?: string; sandbox?: "docker" | "local"; model?: string; sameReplies?: boolean } = {},
): FinishedJob {
  const { folder = "jobs/a", simulated = false, digest = "d", sandbox = "docker", model = "m" } = o;
  const identity = { provider: "local", name: model, protocol: "native" as const, priceTable: null };
  const tasks = [...new Set(Object.values(scores).flatMap(Object.keys))];
  return {
    folder,
    lock: {
      v: 1,
      forgeVersion: "0.1.0",
      suite: { name: "suite", digest },
      agent: "configured",
      sandbox,
      repeats: 1,
      tasks: Object.fromEntries(
        tasks.map((task) => [
          task,
          { digest: digest + task, mode: "hardened" as const, family: null, difficulty: null, split: null, limits: {} },
        ]),
      ),
      configurations: Object.fromEntries(
        Object.keys(scores).map((name) => [name, { harnessHash: sha256(name), modelHash: sha256(model), model: identity, config: {} }]),
      ),
    },
    records: Object.entries(scores).flatMap(([configuration, byTask]) =>
      Object.entries(byTask).flatMap(([task, repeats]) =>
        repeats.map((score, i): TrialRecord => ({
          v: 1,
          key: sha256(`${folder} ${configuration} ${task} ${i}`),
          task,
          taskDigest: digest + task,
          family: null,
          difficulty: null,
          configuration,
          harnessHash: sha256(configuration),
          forgeVersion: "0.1.0",
          agent: "configured",
          modelIdentity: identity,
          repeat: i + 1,
          attempt: 1,
          class: score === null ? "infra" : score >= 1 ? "passed" : "agent",
          rewards: score === null ? null : { reward: score },
          score,
          passed: score === null ? null : score >= 1,
          tokens: { in: 10, out: 5, cached: 0 },
          costUsd: null,
          priceTable: null,
          turns: 2,
          interventions: 0,
          activeMs: 100,
          wallMs: 200,
          seed: 1,
          sandbox,
          mode: "hardened",
          simulated,
          servedModel: null,
          imageDigest: null,
          deviations: [],
          usage: {},
          load: { cpus: 2, average: 0, jobs: 1 },
          outcome: { type: "done" },
          replyDigest: sha256(o.sameReplies ? `${configuration} ${task}` : `${configuration} ${task} ${i}`),
          workspaceHash: null,
          trace: "trials/x",
          startedAt: 0,
        })),
      ),
    ),
  };
}

/** n tasks; the arm passes those whose number `passes` says. */
const suite = (n: number, passes: (i: number) => number | null, repeats = 1): Scores =>
  Object.fromEntries(
    Array.from({ length: n }, (_, i) => [`t${String(i).padStart(2, "0")}`, Array.from({ length: repeats }, () => passes(i))]),
  );
const word = (comparison: Comparison): string | undefined => comparison.pairs[0]?.verdict.word;

describe("a verdict", () => {
  it("is better or worse when the difference is large, by the same amount either way", () => {
    const [bad, good] = [suite(40, () => 0), suite(40, (i) => (i < 20 ? 1 : 0))];
    const up = compare([job({ a: bad, b: good })]);
    expect(word(up)).toBe("better");
    expect(up.pairs[0]?.readings[0]).toMatchObject({ tasks: 40, test: "McNemar mid-p", newTasks: { value: 0.5 } });
    expect(word(compare([job({ a: good, b: bad })]))).toBe("worse");
  });

  it("says what could have been seen where no difference shows", () => {
    const comparison = compare([job({ a: suite(40, (i) => i % 2), b: suite(40, (i) => (i === 0 ? 1 : i % 2)) })]);
    expect(word(comparison)).toBe("no difference shown");
    expect(comparison.pairs[0]?.verdict.text).toMatch(/could have seen \+\d/);
  });

  it("is withheld for simulated models, and the page says so", () => {
    const comparison = compare([job({ a: suite(40, () => 0), b: suite(40, () => 1) }, { simulated: true })]);
    expect(word(comparison)).toBe("withheld");
    expect(describeComparison(comparison)).toMatch(/simulated/);
  });

  it("shows what simulated models cost as made up, in the table and in JSON, and what real ones cost as it is", () => {
    const priced = (simulated: boolean): Comparison => {
      const made = job({ a: suite(20, () => 0), b: suite(20, () => 1) }, { simulated });
      return compare([{ ...made, records: made.records.map((record) => ({ ...record, costUsd: 0.0625 })) }]);
    };
    expect(describeComparison(priced(true)).match(/\$1\.25 simulated/g)).toHaveLength(2);
    expect(priced(true).arms).toMatchObject([{ costUsd: 1.25, costSimulated: true }, { costSimulated: true }]);
    expect(describeComparison(priced(false))).not.toContain("simulated");
    expect(priced(false).arms).toMatchObject([{ costUsd: 1.25, costSimulated: false }, { costSimulated: false }]);
  });

  it("is not given under 15 tasks, and is exploratory under 30", () => {
    expect(word(compare([job({ a: suite(14, () => 0), b: suite(14, () => 1) })]))).toBe("too few tasks");
    const some = compare([job({ a: suite(20, () => 0), b: suite(20, () => 1) })]);
    expect(some.pairs[0]?.verdict).toMatchObject({ word: "better", exploratory: true });
  });

  it("must hold when trials without a score count as failures too", () => {
    const a = suite(40, () => 0);
    const b = suite(40, (i) => (i < 12 ? 1 : i < 30 ? null : 0));
    const aWhole = suite(40, (i) => (i >= 12 && i < 20 ? 1 : (a["t00"]?.[0] ?? 0)));
    const comparison = compare([job({ a: aWhole, b })]);
    expect(comparison.pairs[0]?.readings.map((one) => one.tasks)).toEqual([22, 40]);
    expect(word(comparison)).not.toBe("better");
  });

  it("is for this suite only when new tasks might differ", () => {
    const flips =
      (sign: number) =>
      (i: number): number =>
        i < 4 ? (sign > 0 ? 1 : 0) : i % 2;
    const comparison = compare([job({ a: suite(40, flips(-1), 3), b: suite(40, flips(1), 3) })]);
    expect(word(comparison)).toBe("better on this suite only");
  });
});

describe("arms", () => {
  it("of different tasks, sandboxes or modes are not comparable, with the reason", () => {
    const a = job({ a: suite(20, () => 1) });
    const other = (o: Parameters<typeof job>[1]): Comparison => compare([a, job({ b: suite(20, () => 1) }, { folder: "jobs/b", ...o })]);
    expect(other({ digest: "e" }).notComparable).toMatch(/the content of task t00/);
    expect(other({ sandbox: "local" }).notComparable).toMatch(/the sandbox: docker and local/);
    expect(other({}).notComparable).toBeUndefined();
    const elsewhere = job({ b: { other: [1] } }, { folder: "jobs/b" });
    expect(compare([a, elsewhere]).notComparable).toMatch(/no task in common/);
  });

  it("with different models are compared as model and harness", () => {
    const comparison = compare([job({ a: suite(20, () => 1) }), job({ b: suite(20, () => 1) }, { folder: "jobs/b", model: "n" })]);
    expect(comparison.pairs[0]?.of).toBe("model and harness");
  });

  it("that say the same in every repeat count as one observation a task", () => {
    const scores = { a: suite(20, (i) => i % 2, 3), b: suite(20, () => 1, 3) };
    expect(compare([job(scores)]).pairs[0]?.readings[0]?.test).toBe("sign-flip permutation");
    expect(compare([job(scores, { sameReplies: true })]).pairs[0]?.readings[0]?.test).toBe("McNemar mid-p");
  });

  it("are compared in all pairs, adjusted by Holm, or with a baseline", () => {
    const scores = { a: suite(20, () => 0), b: suite(20, (i) => i % 2), c: suite(20, () => 1) };
    const all = compare([job(scores)]);
    expect(all.pairs.map(({ a, b }) => `${a}-${b}`)).toEqual(["a-b", "a-c", "b-c"]);
    expect(all.pairs[0]?.readings[0]?.adjustedP).toBeGreaterThan(all.pairs[0]?.readings[0]?.p ?? 1);
    expect(compare([job(scores)], { baseline: "c" }).pairs.map(({ b }) => b)).toEqual(["a", "b"]);
    expect(() => compare([job(scores)], { baseline: "d" })).toThrow(/--baseline: there is no configuration "d"; there are a, b, c/);
  });

  it("measured in two jobs, on some tasks here and on others there, are one measurement", () => {
    const tasks = (from: number): Scores => Object.fromEntries(Object.entries(suite(20, (i) => i % 2)).slice(from, from + 10));
    const parts = [job({ a: tasks(0), b: tasks(0) }), job({ a: tasks(10), b: tasks(10) }, { folder: "jobs/b" })];
    expect(compare(parts)).toMatchObject({
      arms: [
        { name: "a", tasks: 20 },
        { name: "b", tasks: 20 },
      ],
      pairs: [{ readings: [{ tasks: 20 }, { tasks: 20 }] }],
    });
  });

  it("given twice are counted once", () => {
    const once = job({ a: suite(20, () => 0), b: suite(20, () => 1) });
    const twice = compare([once, once]);
    expect(twice.arms.map(({ trials, countedOnce }) => [trials, countedOnce])).toEqual([
      [20, 20],
      [20, 20],
    ]);
    expect(describeComparison(twice)).toContain("a: 20 trials given twice (same task, repeat and replies) and counted once");
  });

  it("that cannot be compared are not pooled either", () => {
    const here = job({ a: suite(20, () => 1) });
    const there = job({ a: suite(20, () => 0) }, { folder: "jobs/b", sandbox: "local" });
    expect(compare([here, there]).arms.map(({ name, trials }) => [name, trials])).toEqual([
      ["a", 20],
      ["a (jobs/b)", 20],
    ]);
  });

  it("show which tasks were fixed and which were broken", () => {
    const text = describeComparison(compare([job({ a: suite(16, (i) => (i === 3 ? 1 : 0)), b: suite(16, (i) => (i === 5 ? 1 : 0)) })]));
    expect(text).toMatch(/fixed\s+1\s+t05 0→1/);
    expect(text).toMatch(/broken\s+1\s+t03 1→0/);
    expect(text).toMatch(/same\s+14/);
  });
});
