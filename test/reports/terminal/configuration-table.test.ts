import { describe, expect, it } from "vitest";
import type { JobOverview } from "../../../evals/job/job-overview.ts";
import { summarize, type JobResult } from "../../../evals/job/results/job-result.ts";
import { describeJob } from "../../../reports/terminal/configuration-table.ts";
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
  it("says of which configuration the cost is made up", () => {
    const lines = describeJob(result(2, 0.5)).split("\n");
    const at = lines.findIndex((line) => line.startsWith("made-up"));
    expect(lines[at]).toContain("$0.50");
    expect(lines[at + 1]).toMatch(/sim\/default \(simulated\).* simulated/);
    expect(lines.filter((line) => / simulated( |$)/.test(line))).toHaveLength(1);
  });

  it("says which tasks were left out of its rates, and of many how many", () => {
    const leftOut = ["a", "b", "c", "d", "e", "f"].map((task) => ({ task, reason: "It cannot be read." }));
    const said = (count: number) => describeJob({ ...result(2, 0.5), leftOut: leftOut.slice(0, count) });
    expect(said(0)).not.toContain("left out");
    expect(said(2)).toContain("\nleft out: 2 of 3 tasks, a, b; result.json says why\n");
    expect(said(6)).toContain("\nleft out: 6 of 7 tasks, a, b, c, d, e and 1 more; result.json says why\n");
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
          result: of,
        } as unknown as JobOverview,
      ],
      0,
    ); // what the table reads
  it.each([
    [2, 0.5, "$1.50 + $0.50 simulated"],
    [0.5, 0.5, "$0.50 simulated"],
    [1.5, 0, "$1.50"],
    [null, 0, "n/a"],
  ])("tells what was paid of %s from %s that was made up: %s", (spent, simulated, expected) => {
    const [, row = ""] = cost(result(spent, simulated)).split("\n");
    expect(row.replace(/^.*finished\s+/, "").trim()).toBe(expected);
  });
});
