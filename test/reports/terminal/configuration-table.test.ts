import { describe, expect, it, vi } from "vitest";
import type { JobOverview } from "../../../evals/job/job-overview.ts";
import { summarize, type ConfigurationSummary, type JobResult } from "../../../evals/job/results/job-result.ts";
import { describeJob, nextCommands } from "../../../reports/terminal/configuration-table.ts";
import { jobsTable } from "../../../reports/terminal/job-list.ts";

const arm = (configuration: string, simulated: boolean, costUsd: number) => ({
  ...summarize({ configuration, harnessHash: "h", model: simulated ? "sim/default" : "openai/some", simulated }, [], 0),
  costUsd,
});
const result = (spentUsd: number | null, spentSimulatedUsd: number | null): JobResult => ({
  v: 1,
  job: "j",
  folder: "jobs/j",
  suite: "demo",
  agent: "configured",
  sandbox: "local",
  modes: ["hardened"],
  simulated: spentSimulatedUsd !== 0,
  status: "finished",
  trials: 2,
  recorded: 2,
  unscored: 0,
  invalid: false,
  repeats: 1,
  tasks: ["t"],
  configurations: [arm("made-up", true, 0.5), arm("charged", false, 1.5)],
  spentUsd,
  spentSimulatedUsd,
  endedAt: 0,
});

describe("a job's table", () => {
  it("has the job's size first, a line a configuration in 80 columns, and no column that has nothing to say", () => {
    const one = (change: object): ConfigurationSummary => ({
      ...arm("bare", true, 0.04),
      passed: 10,
      failed: 8,
      activeMs: 11_000,
      ...change,
    });
    const made = { ...result(0.1, 0.1), trials: 36, recorded: 36 };
    const two = [one({ tokens: { in: 82_000, out: 2_000, cached: 0 } }), one({ configuration: "standard", passed: 13, failed: 5 })];
    const lines = describeJob({ ...made, configurations: two }, { word: "d2c0", ms: 41_000 }).split("\n");
    expect(lines).toEqual([
      "demo · 36 trials · local, unconfined · hardened verification · 41 s · job d2c0",
      "",
      "          passed  rate  tokens   cost  time",
      "bare       10/18  56 %     84k  $0.04  11 s",
      "standard   13/18  72 %       0  $0.04  11 s",
      "",
      "The model is simulated: these numbers say nothing about any real model.",
    ]);
    const [, , head, row] = describeJob(
      { ...made, configurations: [one({ unscored: 2, infraAttempts: 1, costUsd: null })] },
      { word: "d2c0" },
    ).split("\n");
    expect([head, row]).toEqual([
      "      passed  no score  rate  tokens  time  infra errors",
      "bare   10/18         2  56 %       0  11 s             1",
    ]);
  });

  it("ends with two commands, and of a job that was stopped with the one that resumes it", () => {
    const job = { ...result(1, 1), recorded: 10, trials: 276 };
    expect(nextCommands(job, "d2c0")).toBe("Compare: forge compare d2c0     Look: forge view d2c0");
    vi.stubEnv("npm_command", "exec"); // as npx calls it
    expect(nextCommands({ ...job, configurations: job.configurations.slice(1) }, "d2c0")).toBe(
      "Replay: npx forge replay d2c0     Look: npx forge view d2c0",
    );
    vi.unstubAllEnvs();
    for (const status of ["stopped", "cancelled"] as const)
      expect(nextCommands({ ...job, status }, "d2c0")).toBe("Stopped at 10/276. Resume: forge jobs resume d2c0");
  });

  it("says which tasks were left out of its rates, and of many how many", () => {
    const leftOut = ["a", "b", "c", "d", "e", "f"].map((task) => ({ task, reason: "It cannot be read." }));
    const said = (count: number) => describeJob({ ...result(2, 0.5), leftOut: leftOut.slice(0, count) }, { word: "d2c0" });
    expect(said(0)).not.toContain("left out");
    expect(said(2)).toContain("\nleft out: 2 of 3 tasks, a, b; result.json has the reasons");
    expect(said(6)).toContain("\nleft out: 6 of 7 tasks, a, b, c, d, e and 1 more; result.json has the reasons");
  });

  it("carries it in JSON", () => {
    expect(result(2, 0.5).configurations).toMatchObject([{ costSimulated: true }, { costSimulated: false }]);
  });
});

describe("the list of jobs", () => {
  const cost = (of: JobResult): string =>
    jobsTable(
      [
        {
          job: "j",
          suite: "s",
          configurations: ["c"],
          recorded: 2,
          trials: 2,
          status: "finished",
          touchedAt: 0,
          workedMs: null,
          result: of,
        } as unknown as JobOverview,
      ],
      new Map(),
      0,
    ); // what the table reads
  it.each([
    [2, 0.5, "$1.50 + $0.50 simulated"],
    [0.5, 0.5, "$0.50 simulated"],
    [1.5, 0, "$1.50"],
    [null, 0, "–"],
  ])("tells what was paid of %s from %s that was made up: %s", (spent, simulated, expected) => {
    const [, row = ""] = cost(result(spent, simulated)).split("\n");
    expect(row.replace(/^.*finished\s+/, "").trim()).toBe(expected);
  });
});
