import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  followRecords,
  decisionLine,
  unwritten,
  watchDecisions,
  type DecisionWatch,
} from "../../../../evals/compare/sequential/watch-decisions.ts";
import { drawnOrder, ruleWithout, stoppingRule, type StoppingRule } from "../../../../evals/study/stopping-rule.ts";
import { withFirst } from "../../../../evals/study/study.ts";
import type { TrialRecord } from "../../../../evals/trial/trial-record.ts";
import { DamagedError } from "../../../../harness/errors.ts";
import { seededRandom } from "../../../../harness/seeded-random.ts";
import { job } from "../scored-job.ts";

const arms = ["base", "good", "same"];
const study = withFirst(arms);
const tasksOf = (n: number): string[] => Array.from({ length: n }, (_, i) => `t${String(i).padStart(2, "0")}`);
const ruleOf = (n: number): StoppingRule => ({ alpha: 0.05, firstLook: 15, order: tasksOf(n) });

/** All trials of a job in the order in which they are started: by task, then repeat, then arm. */
function trialsOf(n: number, repeats: number, score: (task: number, arm: number, repeat: number) => number | null): TrialRecord[] {
  const tasks = tasksOf(n);
  const { records } = job(
    Object.fromEntries(
      arms.map((name, arm) => [
        name,
        Object.fromEntries(tasks.map((task, t) => [task, Array.from({ length: repeats }, (_, k) => score(t, arm, k))])),
      ]),
    ),
  );
  const place = ({ task, repeat, configuration }: TrialRecord): number =>
    (tasks.indexOf(task) * repeats + repeat) * arms.length + arms.indexOf(configuration);
  return records.toSorted((x, y) => place(x) - place(y));
}

interface Ran {
  readonly watch: DecisionWatch;
  readonly published: readonly TrialRecord[];
}

/** A run of the job with so many slots, which are freed in random order; `stopAfter`: interrupted after so many trials. */
function run(
  rule: StoppingRule,
  all: readonly TrialRecord[],
  repeats: number,
  before: readonly TrialRecord[],
  o: { slots: number; random: () => number; stopAfter: number },
): Ran {
  const watch = watchDecisions({ rule, study, repeats, records: before });
  const done = new Set(before.map(({ key }) => key));
  let queue = all.filter(({ key }) => !done.has(key));
  const published = [...before];
  const running: TrialRecord[] = [];
  for (let ended = 0; ended < o.stopAfter; ended++) {
    queue = queue.filter((trial) => watch.wants(trial));
    while (running.length < o.slots && queue.length > 0) running.push(...queue.splice(0, 1));
    const [trial] = running.splice(Math.floor(o.random() * running.length), 1);
    if (!trial) break;
    published.push(trial);
    watch.add(trial);
  }
  return { watch, published };
}
const decisionsOf = ({ watch }: Ran) => watch.pairs.map(({ decision, tasks }) => ({ decision, looked: tasks.length }));

const setting = fc.record({
  seed: fc.integer(),
  repeats: fc.constantFrom(1, 3),
  slots: fc.integer({ min: 1, max: 6 }),
  good: fc.double({ min: 0.5, max: 1, noNaN: true }),
  lost: fc.constantFrom(0, 0.05),
});

describe("the looks at a job", () => {
  it("decide the same at the same pair, whatever order trials end in and wherever the job is interrupted", () => {
    fc.assert(
      fc.property(
        setting,
        fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }),
        ({ seed, repeats, slots, good, lost }, interruptions) => {
          const random = seededRandom(seed);
          const all = trialsOf(40, repeats, (_, arm) => (random() < lost ? null : random() < (arm === 1 ? good : 0.3) ? 1 : 0));
          const rule = ruleOf(40);
          const undisturbed = run(rule, all, repeats, [], { slots: 1, random, stopAfter: Infinity });
          let published: readonly TrialRecord[] = [];
          // a trial without a score stays so here: that it may be tried again is the next test's
          for (const stopAfter of interruptions) ({ published } = run(rule, all, repeats, published, { slots, random, stopAfter }));
          const resumed = watchDecisions({ rule, study, repeats, records: published });
          const lostOnes = published.filter((trial) => trial.score === null && resumed.mayTryAgain(trial) && resumed.wants(trial));
          const rest = run(
            rule,
            all,
            repeats,
            published.filter((trial) => !lostOnes.includes(trial)),
            { slots, random, stopAfter: Infinity },
          );
          expect(decisionsOf(rest)).toEqual(decisionsOf(undisturbed));
          // and who reads the job afterwards sees the same
          const read = followRecords({ rule, study, repeats, records: rest.published });
          expect(read.map(({ decision, tasks }) => ({ decision, looked: tasks.length }))).toEqual(decisionsOf(undisturbed));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("run nothing of an arm that no open comparison needs, and end when all are decided", () => {
    const all = trialsOf(40, 1, (t, arm) => (arm === 1 ? 1 : t % 7 === 0 ? 1 : 0));
    const { watch, published } = run(ruleOf(40), all, 1, [], { slots: 1, random: () => 0, stopAfter: Infinity });
    expect(watch.pairs.map(({ decision }) => decision?.better ?? null)).toEqual(["good", null]);
    const pair = watch.pairs[0]?.decision?.pair ?? 0;
    expect(pair).toBeGreaterThanOrEqual(15);
    const counts = arms.map((name) => published.filter(({ configuration }) => configuration === name).length);
    expect(counts[0]).toBe(40); // the other comparison ran to the end
    expect(counts[2]).toBe(40);
    expect(counts[1]).toBeLessThanOrEqual(pair + 1);
  });

  it("try a trial that met only infrastructure errors again, until a decision rests on it", () => {
    const all = trialsOf(40, 1, (t, arm) => (t === 3 && arm === 0 ? null : arm === 1 ? 1 : 0));
    const early = run(ruleOf(40), all, 1, [], { slots: 1, random: () => 0, stopAfter: 30 });
    const again = watchDecisions({ rule: ruleOf(40), study, repeats: 1, records: early.published });
    expect([again.before, again.mayTryAgain({ task: "t03", configuration: "base", repeat: 1 })]).toEqual([[], true]);
    const late = run(ruleOf(40), all, 1, [], { slots: 1, random: () => 0, stopAfter: 80 });
    const settled = watchDecisions({ rule: ruleOf(40), study, repeats: 1, records: late.published });
    expect(settled.before).toHaveLength(1);
    expect(settled.mayTryAgain({ task: "t03", configuration: "base", repeat: 1 })).toBe(false);
  });

  it("come in an order that is drawn, the same wherever the tasks come from", () => {
    const tasks = tasksOf(30).map((name) => ({ name, digest: name }));
    const order = drawnOrder(tasks).map(({ name }) => name);
    expect(order).not.toEqual(tasksOf(30));
    expect(drawnOrder(tasks.toReversed()).map(({ name }) => name)).toEqual(order);
  });
});

describe("the looks at a job on families", () => {
  const inFamilies = tasksOf(40).map((name, i) => ({ name, digest: name, metadata: { family: `f${i % 10}` } }));
  const familyOf = new Map(inFamilies.map(({ name, metadata }) => [name, metadata.family]));
  const rule = stoppingRule(drawnOrder(inFamilies));

  it("take whole families, in an order that is drawn", () => {
    expect(rule).toMatchObject({ firstLook: 15, firstFamilies: 8, looks: Array.from({ length: 10 }, () => 4) });
    const families = rule.order.map((name) => familyOf.get(name));
    expect(families.filter((family, i) => family !== families[i - 1])).toHaveLength(10);
    expect(stoppingRule(tasksOf(20).map((name) => ({ name, metadata: { family: name } })))).not.toHaveProperty("looks");
  });

  it("decide at the end of a family, from the eighth on, and not before a family is complete", () => {
    const all = trialsOf(40, 1, (_, arm) => Number(arm === 1));
    const place = new Map(rule.order.map((task, i) => [task, i]));
    const ordered = all.toSorted((x, y) => (place.get(x.task) ?? 0) - (place.get(y.task) ?? 0));
    const { watch } = run(rule, ordered, 1, [], { slots: 1, random: () => 0, stopAfter: Infinity });
    expect(watch.pairs[0]).toMatchObject({ decision: { better: "good", pair: 32 } });
    expect(watch.pairs[0]?.seen).toHaveLength(8);
    const cut = watchDecisions({ rule, study, repeats: 1, records: ordered.slice(0, 31 * arms.length) });
    expect(cut.before).toEqual([]);
  });

  it("count a family once: the bets of ten tasks that say the same are those of one", () => {
    const scores = (task: string): number => Number(Number((familyOf.get(task) ?? "").slice(1)) < 5);
    const all = trialsOf(40, 1, (t, arm) => (arm === 1 ? scores(tasksOf(40)[t] ?? "") : 0));
    const [first] = followRecords({ rule, study, repeats: 1, records: all });
    const [tasks] = followRecords({ rule: ruleOf(40), study, repeats: 1, records: all });
    expect([first?.decision, tasks?.decision?.better]).toEqual([null, "good"]);
  });

  it("leave the families whole where tasks are gone", () => {
    const [one = "", two = ""] = rule.order;
    const first = familyOf.get(one);
    const gone = new Set([two, ...rule.order.slice(4, 8)]);
    const left = ruleWithout(rule, gone);
    expect(left.order).toHaveLength(35);
    expect(left.looks).toEqual([3, ...Array.from({ length: 8 }, () => 4)]);
    expect(left.order.slice(0, 3).every((task) => familyOf.get(task) === first)).toBe(true);
  });
});

describe("the journal of decisions", () => {
  const decision = { a: "base", b: "good", better: "good", task: "t15", pair: 16, eValue: 44, threshold: 40 };

  it("gets what a crash kept from it, once", () => {
    expect(unwritten("journal.jsonl", [], [decision])).toEqual([decision]);
    expect(unwritten("journal.jsonl", [{ t: "job.open" }, decisionLine(decision, 1)], [decision])).toEqual([]);
  });

  it("and trials that do not come to what it says are damage", () => {
    expect(() => unwritten("journal.jsonl", [decisionLine(decision, 1)], [])).toThrow(DamagedError);
    expect(() => unwritten("journal.jsonl", [decisionLine(decision, 1)], [{ ...decision, better: "base" }])).toThrow(
      /^journal\.jsonl records that good was better of base and good at pair 16, and the job's trials do not come to that; restore them/,
    );
  });
});
