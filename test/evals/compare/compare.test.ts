import { describe, expect, it } from "vitest";
import { compare, type Comparison } from "../../../evals/compare/compare.ts";
import type { FinishedJob } from "../../../evals/job/results/load-job.ts";
import { outcomes } from "../statistics/outcomes.ts";
import { job, suite, type Scores, inFull, unwrapped } from "./scored-job.ts";

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
    expect(comparison.pairs[0]?.verdict.text).toMatch(/\d+ tasks can show differences of \d+ points or more\./);
  });

  it("is withheld for simulated models, and the page says so", () => {
    const comparison = compare([job({ a: suite(40, () => 0), b: suite(40, () => 1) }, { simulated: true })]);
    expect(word(comparison)).toBe("withheld");
    expect(inFull(comparison)).toMatch(/simulated/);
  });

  it("shows what simulated models cost as made up, in the table and in JSON, and what real ones cost as it is", () => {
    const priced = (simulated: boolean): Comparison => {
      const made = job({ a: suite(20, () => 0), b: suite(20, () => 1) }, { simulated });
      return compare([{ ...made, records: made.records.map((record) => ({ ...record, costUsd: 0.0625 })) }]);
    };
    expect(inFull(priced(true)).match(/\$1\.25 simulated/g)).toHaveLength(2);
    expect(priced(true).arms).toMatchObject([{ costUsd: 1.25, costSimulated: true }, { costSimulated: true }]);
    expect(inFull(priced(false))).not.toContain("simulated");
    expect(priced(false).arms).toMatchObject([{ costUsd: 1.25, costSimulated: false }, { costSimulated: false }]);
  });

  it("comes with rates whose intervals have a width, also where every repeat failed or passed", () => {
    const { arms } = compare([job({ a: suite(16, () => 0, 3), b: suite(16, () => 1, 3) })]);
    const [failed, passed] = arms.map(({ rate }) => rate);
    expect(failed?.low).toBeCloseTo(0, 9);
    expect(failed?.high).toBeCloseTo(0.194, 3); // Wilson's, of 16
    expect(passed?.high).toBeCloseTo(1, 9);
    expect(passed?.low).toBeCloseTo(0.806, 3);
  });

  it("is not given under 15 tasks, and is exploratory under 30", () => {
    expect(word(compare([job({ a: suite(14, () => 0), b: suite(14, () => 1) })]))).toBe("too few tasks");
    expect(compare([job({ a: suite(1, () => 0), b: suite(1, () => 1) })]).pairs[0]?.verdict.text).toMatch(
      /: 1 task is too few to decide on;/,
    );
    const some = compare([job({ a: suite(20, () => 0), b: suite(20, () => 1) })]);
    expect(some.pairs[0]?.verdict).toMatchObject({ word: "better", exploratory: true });
  });

  it("must hold when trials without a score count as failures too", () => {
    const a = suite(40, () => 0);
    const b = suite(40, (i) => (i < 12 ? 1 : i < 30 ? null : 0));
    const aWhole = suite(40, (i) => (i >= 12 && i < 20 ? 1 : (a["t00"]?.[0] ?? 0)));
    const comparison = compare([job({ a: aWhole, b })]);
    expect(comparison.pairs[0]?.readings.map((one) => [one.reading, one.tasks])).toEqual([
      ["excluded", 22],
      ["failed", 40],
      ["against", 40],
    ]);
    expect(word(comparison)).not.toBe("better");
  });

  it("must hold when lost trials count against it too: an arm that loses its passes is not worse for that", () => {
    // 12 tasks that only A passes, of which it loses 11, and 12 that only B passes
    const a = suite(48, (i) => (i >= 10 && i < 21 ? null : i < 22 ? 1 : 0));
    const b = suite(48, (i) => (i < 10 || (i >= 22 && i < 34) ? 1 : 0));
    const comparison = compare([job({ a, b })]);
    const [excluded, failed, against] = comparison.pairs[0]?.readings ?? [];
    for (const reading of [excluded, failed]) expect(reading?.newTasks.low).toBeGreaterThan(0);
    expect(against?.newTasks.value).toBe(0);
    expect(comparison.pairs[0]?.lost).toBe(11);
    expect(word(comparison)).toBe("no difference shown");
    expect(comparison.pairs[0]?.verdict.text).toMatch(
      /, with trials without a score against it \(0 points, .*\)\. It shows when they are left out: \+\d.* It falls if \d+ of the 11 trials without a score of a passed\./,
    );
    expect(inFull(comparison)).toMatch(/11 trials without a score.*\n +as failures: .*\n +against the claim: /);
  });

  it("says that it breaks on lost trials as failures", () => {
    const [a, b] = [suite(60, (i) => (i < 26 ? 1 : 0)), suite(60, (i) => (i < 26 ? null : i < 40 ? 0 : 1))];
    expect(compare([job({ a, b })]).pairs[0]?.verdict.text).toMatch(
      /, with trials without a score as failures \(.*\)\. It shows when they are left out: .* It falls if \d+ of the 26 trials without a score of b failed\./,
    );
  });

  it("is equivalent within a margin stated before, and not without one", () => {
    const same = job({ a: suite(200, (i) => i % 2), b: suite(200, (i) => (i < 2 ? 1 - (i % 2) : i % 2)) });
    expect(word(compare([same], { margin: 0.05 }))).toBe("equivalent");
    expect(compare([same], { margin: 0.05 }).pairs[0]?.verdict.text).toMatch(/equivalent within ±5 points/);
    expect(word(compare([same]))).toBe("no difference shown");
    expect(word(compare([same], { margin: 0.01 }))).toBe("no difference shown");
  });

  it("over four models on 80 published tasks is none between three of them, at the golden p", () => {
    const byModel: Record<string, Scores> = {};
    for (const [model = "", task = "", resolved] of outcomes("codetracer-outcomes.csv"))
      byModel[model] = { ...byModel[model], [task]: [Number(resolved)] };
    const comparison = compare([job(byModel)]);
    const shown = comparison.pairs.map(({ a, b, verdict, readings }) => [`${a}-${b}`, verdict.word, readings[0]?.adjustedP.toFixed(2)]);
    expect(shown).toEqual([
      ["c4-coder", "no difference shown", "0.61"],
      ["c4-gpt5", "no difference shown", "0.42"],
      ["c4-v3", "worse", "0.00"],
      ["coder-gpt5", "no difference shown", "0.40"],
      ["coder-v3", "worse", "0.00"],
      ["gpt5-v3", "worse", "0.00"],
    ]);
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
    expect(other({ config: { memory: true } }).notComparable).toMatch(/jobs\/b leaves memory on in b/);
    const elsewhere = job({ b: { other: [1] } }, { folder: "jobs/b" });
    expect(compare([a, elsewhere]).notComparable).toMatch(/no task in common/);
  });

  it("with different models are compared as model and harness", () => {
    const comparison = compare([job({ a: suite(20, () => 1) }), job({ b: suite(20, () => 1) }, { folder: "jobs/b", model: "n" })]);
    expect(comparison.pairs[0]?.of).toBe("model and harness");
  });

  it("of different agents, or versions of one, are compared as agent, and with another model as model and agent", () => {
    const version = (agent: string | undefined, folder: string, model = "m"): FinishedJob =>
      job(
        { [folder]: suite(20, () => 1) },
        { folder, model, config: agent === undefined ? {} : { agent: { name: "codex", version: agent, files: {} } } },
      );
    const of = (...jobs: FinishedJob[]): unknown => compare(jobs).pairs[0]?.of;
    expect(of(version(undefined, "own"), version("1.0.0", "a"))).toBe("agent");
    expect(of(version("1.0.0", "a"), version("1.1.0", "b"))).toBe("agent");
    expect(of(version("1.0.0", "a"), version("1.0.0", "b"))).toBe("harness");
    expect(of(version("1.0.0", "a"), version(undefined, "b", "n"))).toBe("model and agent");
    expect(inFull(compare([version(undefined, "own"), version("1.0.0", "a")]))).toContain("(agent)");
    const command = (text: string): FinishedJob =>
      job({ [text]: suite(20, () => 1) }, { folder: text, config: { agent: { name: "command", command: text } } });
    expect(of(command("python3 a.py"), command("node b.js"))).toBe("agent");
    expect(of(command("python3 a.py"), command("python3 a.py"))).not.toBe("agent");
  });

  it("that say the same in every repeat count as one observation a task", () => {
    const scores = { a: suite(20, (i) => i % 2, 3), b: suite(20, () => 1, 3) };
    expect(compare([job(scores)]).pairs[0]?.readings[0]?.test).toBe("sign-flip permutation");
    expect(compare([job(scores, { sameReplies: true })]).pairs[0]?.readings[0]?.test).toBe("McNemar mid-p");
  });

  it("that say the same in every repeat have no pass@k of several trials, and a dash says so", () => {
    const scores = { a: suite(20, (i) => i % 2, 3), b: suite(20, () => 1, 3) };
    expect(compare([job(scores)]).arms[0]?.passAtK).toEqual({ k: 3, any: 0.5, all: 0.5, tasks: 20 });
    const told = compare([job(scores, { sameReplies: true })]);
    expect(told.arms[0]?.passAtK).toBeNull();
    expect(inFull(told)).toMatch(/ pass@k –/);
    expect(unwrapped(inFull(told))).toContain(
      "a: identical repeats count once, in 20 tasks, so pass@k and pass^k of several trials are not known (–)",
    );
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
    expect(inFull(twice)).toContain("a: 20 trials given twice (same task, repeat and replies) and counted once");
  });

  it("that cannot be compared are not pooled either", () => {
    const here = job({ a: suite(20, () => 1) });
    const there = job({ a: suite(20, () => 0) }, { folder: "jobs/b", sandbox: "local" });
    expect(compare([here, there]).arms.map(({ name, trials }) => [name, trials])).toEqual([
      ["a", 20],
      ["a (jobs/b)", 20],
    ]);
  });

  it("of another version of Forge or another concurrency are compared, and the difference is said", () => {
    const [a, b] = [suite(20, () => 1), suite(20, () => 1)];
    const comparison = compare([job({ a }), job({ b }, { folder: "jobs/b", forgeVersion: "0.2.0", jobs: 4 })]);
    expect(comparison.notComparable).toBeUndefined();
    expect(comparison.conditions).toEqual(["Forge's version: a 0.1.0, b 0.2.0", "trials at a time: a 1, b 4"]);
    expect(inFull(comparison)).toContain("measured under different conditions: Forge's version: a 0.1.0, b 0.2.0");
  });

  it("of a named job are each compared with their namesake, and the same configuration is not pooled but shows the noise", () => {
    const before = job({ a: suite(20, (i) => i % 2), b: suite(20, () => 1) }, { folder: "jobs/main" });
    const now = job({ a: suite(20, (i) => (i + 1) % 2), b: suite(20, () => 1) }, { folder: "jobs/now", harness: { b: "b, changed" } });
    const comparison = compare([before, now], { baselineJob: "jobs/main" });
    expect(comparison.pairs.map(({ a, b, of }) => [a, b, of])).toEqual([
      ["a", "a (jobs/now)", "nothing"],
      ["b", "b (jobs/now)", "harness"],
    ]);
    expect(inFull(comparison)).toContain("a (jobs/now) − a (the same configuration twice");
    const stranger = job({ c: suite(20, () => 1) }, { folder: "jobs/now" });
    expect(() => compare([before, stranger], { baselineJob: "jobs/main" })).toThrow(/jobs\/main has no configuration "c".*it has a, b/);
  });

  it("in a grid of models and harnesses are compared within each model, and shown as a table", () => {
    const scores = Object.fromEntries(["x1", "y1", "x2", "y2"].map((name, n) => [name, suite(20, (i) => (i < 5 * n ? 1 : 0))]));
    const comparison = compare([
      job(scores, { model: { x1: "small", y1: "small", x2: "big", y2: "big" }, harness: { x1: "x", x2: "x", y1: "y", y2: "y" } }),
    ]);
    expect(comparison.grid).toBe(true);
    expect(comparison.pairs.map(({ a, b, of }) => `${a}-${b} ${of}`)).toEqual(["x1-y1 harness", "x2-y2 harness"]);
    expect(comparison.pairs.map(({ verdict }) => verdict.text.split(" y")[0])).toEqual([
      expect.stringMatching(/^With local\/small: /),
      expect.stringMatching(/^With local\/big: /),
    ]);
    expect(inFull(comparison)).toMatch(/harness \\ model +local\/small +local\/big\nx1\/x2 +0 % +50 %\ny1\/y2 +25 % +75 %/);
  });

  it("tell differences by family as guesses, pulled towards all tasks", () => {
    const scores = { a: suite(40, () => 0), b: suite(40, (i) => (i < 20 ? 1 : 0)) };
    const comparison = compare([job(scores, { family: (task) => (task < "t20" ? "shell" : "data") })]);
    const groups = comparison.pairs[0]?.groups ?? [];
    expect(groups.map(({ by, name, tasks }) => `${by} ${name} ${tasks}`)).toEqual(["family data 20", "family shell 20"]);
    expect(groups[1]?.shrunken).toBeLessThanOrEqual(1);
    expect(groups[0]?.shrunken).toBeGreaterThanOrEqual(0);
    expect(inFull(comparison)).toMatch(/exploratory, .*never a result by itself\n {2}by family: data/);
    expect(compare([job(scores)]).pairs[0]?.groups).toEqual([]);
  });

  it("of an unfinished or invalid job are compared, and that is said first", () => {
    const whole = job({ a: suite(20, () => 1), b: suite(20, () => 1) });
    const half = { ...whole, records: whole.records.slice(0, 35) };
    expect(compare([half]).shortcomings).toEqual(["jobs/a is not finished: 35 of 40 trials have a result"]);
    expect(inFull(compare([half]))).toMatch(
      /^Verdict withheld: jobs\/a has 35 of 40 results;\n.*\n[^]*^jobs\/a is not finished: 35 of 40 trials have a result\.$/m,
    );
    const lost = job({ a: suite(20, (i) => (i < 4 ? null : 1)), b: suite(20, () => 1) });
    expect(compare([lost]).shortcomings).toEqual(["jobs/a is invalid: 4 of 40 trials have no score, more than one and 2 %"]);
  });

  it("name for each flip the first repeat that shows it", () => {
    const scores = { a: { ...suite(20, () => 1, 3), t03: [0, 0, 1] }, b: { ...suite(20, () => 1, 3), t03: [0, 1, 1] } };
    const made = job(scores);
    const records = made.records.map((record) => ({ ...record, trace: `trials/${record.task}/${record.configuration}/${record.repeat}` }));
    expect(compare([{ ...made, records }]).pairs[0]?.flips).toEqual([
      expect.objectContaining({
        task: "t03",
        change: "fixed",
        runA: "jobs/a/trials/t03/a/2",
        runB: "jobs/a/trials/t03/b/2",
        parting: null,
      }),
    ]);
  });

  it("show which tasks were fixed and which were broken", () => {
    const text = inFull(compare([job({ a: suite(16, (i) => (i === 3 ? 1 : 0)), b: suite(16, (i) => (i === 5 ? 1 : 0)) })]));
    expect(text).toMatch(/fixed\s+1\s+t05 0→1/);
    expect(text).toMatch(/broken\s+1\s+t03 1→0/);
    expect(text).toMatch(/same\s+14/);
  });
});
