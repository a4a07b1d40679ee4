import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { FinishedJob } from "../../../evals/job/results/load-job.ts";
import { forgeHere as forge } from "../../cli/forge-here.ts";
import { cleanUp, emptyFolder, put, type Answer } from "../../e2e/forge.ts";
import { job, suite } from "../../evals/compare/scored-job.ts";

afterAll(cleanUp);
const root = emptyFolder();

/** Lays a job's files down as a bench does. */
function write({ folder, lock, records }: FinishedJob): void {
  put(root, join(folder, "lock.json"), JSON.stringify(lock));
  for (const record of records)
    put(root, join(folder, "trials", record.task, record.configuration, String(record.repeat), "result.json"), JSON.stringify(record));
}
const compare = (...args: string[]): Promise<Answer> => forge(["compare", ...args], { cwd: root });

write(job({ standard: suite(40, () => 1) }, { folder: "jobs/main-1a" }));
write(job({ standard: suite(40, (i) => (i < 20 ? 0 : 1)) }, { folder: "jobs/now-2b", harness: { standard: "changed" } }));
write(job({ standard: suite(40, () => 1) }, { folder: "jobs/same-3c", harness: { standard: "changed too" } }));
write(job({ standard: suite(8, () => 1) }, { folder: "jobs/few-4d", harness: { standard: "changed" } }));

describe("forge compare", () => {
  it("holds a job against a baseline job, counts the decision in the ledger beside them, and answers 1 for a regression", async () => {
    const answer = await compare("now-2b", "--baseline", "main-1a", "--gate");
    expect(answer.stdout).toContain("standard (jobs/now-2b) is worse than standard by 50 points");
    expect(answer.stdout).toContain("Gate failed: standard (jobs/now-2b): worse than the baseline.");
    expect(answer.code).toBe(1);
    expect(readFileSync(join(root, "jobs/ledger.jsonl"), "utf8").trim().split("\n")).toHaveLength(1);
  });

  it("gates by its exit code: passed 0, cannot tell 5", async () => {
    const [passed, open, few] = await Promise.all([
      compare("jobs/same-3c", "--baseline", "jobs/main-1a", "--gate", "--margin", "15"),
      compare("jobs/same-3c", "--baseline", "jobs/main-1a", "--gate", "--margin", "1"),
      compare("jobs/few-4d", "--baseline", "jobs/main-1a", "--gate"),
    ]);
    expect([passed.code, open.code, few.code]).toEqual([0, 5, 5]);
    expect(passed.stdout).toContain("equivalent within ±15 points");
    expect(few.stdout).toContain("Gate cannot tell: No verdict: 8 tasks");
  });

  it("answers in JSON with everything, and in Markdown for a pull request", async () => {
    const [json, markdown] = await Promise.all([
      compare("jobs/main-1a", "jobs/same-3c", "--json", "--gate"),
      compare("jobs/main-1a", "jobs/same-3c", "--markdown"),
    ]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      jobs: ["jobs/main-1a", "jobs/same-3c"],
      arms: [{ name: "standard" }, { name: "standard (jobs/same-3c)" }],
      pairs: [
        {
          of: "harness",
          verdict: { word: "no difference shown" },
          readings: [{ reading: "excluded" }, { reading: "failed" }],
          flips: [],
          groups: [],
        },
      ],
      gate: { answer: "passed" },
      ledger: { decided: expect.any(Number) },
    });
    expect(markdown.stdout).toMatch(/^### suite\n\n\*\*No difference shown between/);
  });

  it("says in one sentence what is wrong with a name, a margin or two forms at once, and writes nothing", async () => {
    const [name, margin, forms, alone] = await Promise.all([
      compare("jobs/main-1a", "--baseline", "nobody"),
      compare("jobs/main-1a", "--margin", "200"),
      compare("jobs/main-1a", "--json", "--markdown"),
      compare("jobs/main-1a", "--baseline", "jobs/main-1a"),
    ]);
    expect([name.code, margin.code, forms.code, alone.code]).toEqual([2, 2, 2, 2]);
    expect(name.stderr).toContain('--baseline: there is no configuration "nobody"; there are standard.');
    expect(margin.stderr).toContain('such as 5, got "200"');
    expect(forms.stderr).toContain("--json and --markdown: give one of them.");
    expect(alone.stderr).toContain("is the only job; give another one to compare with it.");
    expect(existsSync(join(root, "ledger.jsonl"))).toBe(false);
  });
});

describe("forge compare of what cannot answer", () => {
  const whole = job({ a: suite(40, () => 1), b: suite(40, (i) => (i < 20 ? 0 : 1)) }, { folder: "jobs/cut-5e" });
  write({ ...whole, records: whole.records.filter(({ configuration, score }) => configuration === "a" || score === 1) });

  it("withholds the verdict of a job that is not at its end, with exit code 0, and answers 5 to a pipeline", async () => {
    const [told, gate, alone] = await Promise.all([
      compare("jobs/cut-5e"),
      compare("jobs/cut-5e", "--gate"),
      compare("jobs/main-1a", "--gate"),
    ]);
    expect([told.code, gate.code, alone.code]).toEqual([0, 5, 5]);
    expect(told.stdout).toMatch(/^Verdict withheld: jobs\/cut-5e has 60 of 80 results;\nrun the same forge bench again to resume it\./m);
    expect(told.stdout).not.toContain("comparison 1 on this suite");
    expect(gate.stdout).toContain("Gate cannot tell: jobs/cut-5e is not finished: 60 of 80 trials have a result");
    expect(alone.stdout).toContain("Gate cannot tell: There is only the configuration standard, and nothing to compare it with;");
  });

  it("names what is not there as it was written, a configuration by its option", async () => {
    const [place, ablated] = await Promise.all([compare("nope"), forge(["bench", "--ablate", "nope"], { cwd: root })]);
    expect(place.stderr).toContain('There is no job "nope", neither as a folder nor in ./jobs');
    expect(ablated.stderr).toContain("--ablate nope: there is no preset and no file of this name");
    expect([place.code, ablated.code]).toEqual([3, 2]);
  });
});

describe("forge compare plan", () => {
  it("says what a size can see, from a guess or a past job, and needs the tasks", async () => {
    const [guessed, past, none] = await Promise.all([
      compare("plan", "--tasks", "40", "--repeats", "3", "--difference", "10"),
      compare("plan", "main-1a", "same-3c", "--tasks", "40", "--json"),
      compare("plan", "--repeats", "3"),
    ]);
    expect(guessed.stdout).toMatch(/^40 tasks × 3 repeats can see a difference of 18 points or more\.\n/);
    expect(guessed.stdout).toContain("That difference takes 128 tasks with 3 repeats.");
    expect(JSON.parse(past.stdout)).toMatchObject({ from: "single trials", asked: { trials: 80 } });
    expect([guessed.code, past.code, none.code]).toEqual([0, 0, 2]);
  });
});
