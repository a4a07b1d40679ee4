import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { taskStats } from "../../../evals/report/task-stats.ts";
import { trialRecordSchema, type TrialRecord } from "../../../evals/trial/trial-record.ts";

const hash = "0".repeat(64);

/** A record with what matters here, and anything else the schema asks for. */
function trial(task: string, configuration: string, passed: boolean | null, repeat = 1): TrialRecord {
  return trialRecordSchema.parse({
    v: 1,
    key: hash,
    task,
    taskDigest: hash,
    family: "words",
    difficulty: "easy",
    configuration,
    harnessHash: hash,
    forgeVersion: "0.1.0",
    agent: "configured",
    modelIdentity: { provider: "sim", name: "default", protocol: "native", priceTable: null },
    repeat,
    attempt: 1,
    class: passed === null ? "infra" : passed ? "passed" : "agent",
    rewards: null,
    score: passed === null ? null : Number(passed),
    passed,
    tokens: { in: 10, out: 5, cached: 0 },
    costUsd: 0,
    priceTable: null,
    turns: 2,
    interventions: 0,
    activeMs: 1,
    wallMs: 1,
    seed: 1,
    sandbox: "local",
    mode: "hardened",
    simulated: true,
    servedModel: null,
    imageDigest: null,
    deviations: [],
    load: { cpus: 1, average: 0, jobs: 1 },
    usage: null,
    outcome: null,
    replyDigest: null,
    workspaceHash: null,
    trace: "t",
    startedAt: 0,
  });
}

const of = (records: readonly TrialRecord[], task: string) => taskStats(records).find((one) => one.task === task);

describe("how a task went", () => {
  it("weighs arms alike, whatever their repeats, and leaves trials without a score out of the rate", () => {
    const records = [1, 2, 3, 4].map((repeat) => trial("a", "strong", true, repeat));
    const stats = of([...records, trial("a", "weak", false), trial("a", "weak", null, 2)], "a");
    expect(stats).toMatchObject({ rate: 0.5, information: 1, spread: 1, scored: 5, passed: 4, discrimination: null, verdict: "unclear" });
    expect(stats?.arms.map(({ trials, scored }) => [trials, scored])).toEqual([
      [4, 4],
      [2, 1],
    ]);
  });

  it("finds the task that weak arms pass and strong ones do not", () => {
    const arms = ["strong", "middling", "weak"];
    const passes: Record<string, readonly boolean[]> = {
      one: [true, true, false],
      two: [true, false, false],
      three: [true, true, false],
      odd: [false, false, true],
      never: [false, false, false],
      always: [true, true, true],
    };
    const records = Object.entries(passes).flatMap(([task, each]) => arms.map((arm, i) => trial(task, arm, each[i] === true)));
    expect(Object.fromEntries(taskStats(records).map(({ task, verdict }) => [task, verdict]))).toEqual({
      one: "unclear", // one trial each
      two: "unclear",
      three: "unclear",
      odd: "against",
      never: "never",
      always: "always",
    });
    expect(of(records, "odd")?.discrimination).toBeCloseTo(-0.9449, 4); // of (0, 0, 1) with (4, 3, 1) fifths
    expect(of(records, "never")?.discrimination).toBeNull();
  });

  it.each([
    // Passed of five trials each; the smallest hypergeometric p, such as 2/252, times the pairs.
    [[5, 0], 0.007937, "tells"],
    [[4, 0], 0.047619, "tells"],
    [[4, 1], 0.206349, "unclear"],
    [[3, 2], 1, "unclear"],
    [[3, 3], 1, "mixed"],
    [[5, 3, 0], 0.02381, "tells"],
    [[4, 2, 0], 0.142857, "unclear"],
  ] as const)("tells arms apart that pass %j of five by more than chance does, with p = %d: %s", (passes, chance, verdict) => {
    const records = passes.flatMap((passed, arm) => [1, 2, 3, 4, 5].map((repeat) => trial("a", `arm ${arm}`, repeat <= passed, repeat)));
    const stats = of(records, "a");
    expect(stats?.verdict).toBe(verdict);
    expect(stats?.chance).toBeCloseTo(chance, 5);
  });

  it("says the same in whatever order the trials come, and keeps every figure within its bounds", () => {
    const anyTrial = fc
      .record({
        task: fc.constantFrom("a", "b", "c"),
        arm: fc.constantFrom("x", "y", "z", "w"),
        passed: fc.constantFrom(true, false, null),
      })
      .map(({ task, arm, passed }) => trial(task, arm, passed));
    const shape = (records: readonly TrialRecord[]) =>
      taskStats(records).map(({ arms, discrimination, ...rest }) => ({
        ...rest,
        arms: arms.length,
        discrimination: discrimination?.toFixed(6),
      }));
    fc.assert(
      fc.property(fc.array(anyTrial, { minLength: 1, maxLength: 40 }), (records) => {
        for (const { rate, information, spread, discrimination, scored, passed } of taskStats(records)) {
          for (const share of [rate, information, spread]) if (share !== null) expect(share >= 0 && share <= 1 + 1e-9).toBe(true);
          if (discrimination !== null) expect(Math.abs(discrimination)).toBeLessThanOrEqual(1);
          expect(passed).toBeLessThanOrEqual(scored);
          expect(rate === null).toBe(scored === 0);
        }
        expect(shape(records.toReversed()).map(({ task, scored, verdict }) => [task, scored, verdict])).toEqual(
          shape(records).map(({ task, scored, verdict }) => [task, scored, verdict]),
        );
      }),
      { numRuns: 100 },
    );
  });
});
