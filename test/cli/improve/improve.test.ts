import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planFileSchema } from "../../../analyzer/improve/improvement-plan.ts";
import { built, cleanUp, emptyFolder, forge, type Answer } from "../../e2e/forge.ts";
import { needs } from "../../needs.ts";
import { forgeHere } from "../forge-here.ts";

const cwd = emptyFolder();
const run = (...args: string[]): Promise<Answer> => forgeHere(args, { cwd });
const read = (...path: string[]): string => readFileSync(join(cwd, ...path), "utf8");
const lines = (...path: string[]): Record<string, unknown>[] =>
  read(...path)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const generate = (families: string, out: string): Promise<Answer> =>
  run("task", "generate", "--family", families, "--seeds", "1", "--level", "easy", "--out", out);
/** Every run ends at its first turn: what lets it go on helps for certain. */
const bench = (suite: string, out: string): Promise<Answer> =>
  run("bench", suite, "--config", "short.yaml", "--model", "sim/perfect", "--sandbox", "bubblewrap", "--out", out);
const asked = ["improve", "jobs/s", "--tasks", "tasks", "--test-seeds", "1"];

/** Given while nothing is accepted. */
let gate: Answer | undefined;
beforeAll(async () => {
  await built();
  writeFileSync(join(cwd, "short.yaml"), "extends: bare\nlimits: {turns: 1}\n");
  writeFileSync(join(cwd, "longer.yaml"), "limits: {turns: 30}\n");
  await generate("sql-report,group-totals", "tasks"); // the first for development, the other for the test
  await bench("tasks", "jobs/s");
  gate = await run(...asked, "--yes");
  await run("issues", "edit", "1", "--patch", "longer.yaml");
  await run("issues", "accept", "1");
}, 600_000);
afterAll(cleanUp);

/** The trials of an improvement's jobs that ended with a result, each as often as it did. */
function endings(folder: string): string[] {
  return ["screen", "test"].flatMap((part) => {
    const journal = join(cwd, folder, part, "job", "journal.jsonl");
    const whole = existsSync(journal) ? readFileSync(journal, "utf8").split("\n").slice(0, -1) : []; // the last may be half-written
    return whole
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ t }) => t === "attempt.end" || t === "attempt.found")
      .map(({ task, configuration, repeat }) => JSON.stringify([part, task, configuration, repeat]));
  });
}

describe.skipIf(needs("bubblewrap"))("forge improve", { timeout: 1_200_000 }, () => {
  it("stops at the gate where nothing is accepted, and reads develop runs alone", async () => {
    expect([gate?.code, gate?.stderr]).toEqual([
      3,
      expect.stringMatching(/No change of short is accepted.*1 failed run of 1 develop family/s),
    ]);
    const [analysis = ""] = readdirSync(join(cwd, ".forge/analyses"));
    const families = lines(".forge/analyses", analysis, "analysis.jsonl").flatMap(({ t, family }) => (t === "run" ? [family] : []));
    expect(families).toEqual(["sql-report"]);
  });

  it("screens, freezes, tests once and says what was shown", async () => {
    const unasked = await run(...asked);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining("add --yes, or --gate auto with --budget")]);
    expect(unasked.stderr).toContain("Test (1): group-totals");
    const { code, stdout, stderr } = await run(...asked, "--yes", "--out", "whole", "--json");
    expect(code, stderr).toBe(5); // withheld: the model is simulated
    const { plan, hash, runs } = planFileSchema.parse(JSON.parse(read("whole/plan.json")));
    expect(JSON.parse(stdout)).toMatchObject({
      answer: "not shown",
      state: "finished",
      headline: expect.stringContaining("Verdict withheld: the model is simulated"),
      planHash: hash,
      refusedRuns: { test: 1 },
      screens: [{ pairs: 3, passed: { base: 0, patch: 3 }, kept: true }],
      spent: { screen: { trials: 6, planned: 6 }, test: { trials: 2, planned: 2 } },
    });
    expect(plan.source.digests).toEqual(runs.map(({ digest }) => digest));
    expect(runs.map(({ run: name }) => name)).toEqual([expect.stringContaining("sql-report-easy-0001")]);
    const order = lines("whole/journal.jsonl").map(({ t }) => t);
    expect(order).toEqual(["open", "screen.begin", "screen.end", "test.begin", "test.end", "close"]);
    expect(readdirSync(join(cwd, "whole/test/tasks"))).toEqual([expect.stringMatching(/^group-totals-easy-\d+$/)]);
    const report = read("whole/report.md");
    for (const words of ["selected, inflated", hash, "turns: 30", "Predictions of"]) expect(report).toContain(words);
    expect(read("whole/report.html")).toContain(hash);
  });

  it("refuses a second test of its plan, and shows the first one again", async () => {
    const ran = endings("whole");
    const again = await run(...asked, "--yes", "--out", "whole");
    expect([again.code, again.stdout]).toEqual([5, expect.stringContaining("What was shown (1 test family, once)")]);
    expect(endings("whole")).toEqual(ran);
    const other = await run(...asked, "--yes", "--out", "other");
    expect([other.code, other.stderr]).toEqual([3, expect.stringMatching(/was tested in .*whole, and a plan is tested once/)]);
    expect(existsSync(join(cwd, "other"))).toBe(false);
    rmSync(join(cwd, "whole/test/job"), { recursive: true });
    const gone = await run(...asked, "--yes", "--out", "whole");
    expect([gone.code, gone.stderr]).toEqual([3, expect.stringContaining("is gone; a plan is tested once")]);
  });

  it("says at Ctrl-C what was reached, and goes on after that and after each kill without running a trial twice", async () => {
    rmSync(join(cwd, ".forge/improvements/tests.jsonl"), { force: true }); // as if it were the first
    const go = [...asked, "--yes", "--out", "stopped", "--jobs", "1", "--json"]; // one after the other: each moment lasts
    const endedWhen = (reached: () => boolean, signal: NodeJS.Signals): Promise<Answer> =>
      forge(go, {
        cwd,
        started: (child) => {
          const look = setInterval(() => {
            if (!reached()) return;
            clearInterval(look);
            child.kill(signal);
          }, 5);
          child.on("close", () => clearInterval(look));
        },
      });
    const ended = (count: number) => () => endings("stopped").length >= count;
    const stopped = await endedWhen(ended(1), "SIGINT");
    expect([stopped.code, stopped.stderr]).toEqual([130, expect.stringMatching(/Resume: forge improve jobs\/s .*--tasks /)]);
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      state: "stopped",
      answer: "not shown",
      headline: expect.stringMatching(/stopped while screening, after \d of 6 trials/),
      screens: [{ why: expect.stringContaining("screening has not ended") }],
    });
    // In the screening, between it and the test, and in the test; scripts/campaigns/kill-improve.ts has more moments.
    const moments = [ended(endings("stopped").length + 1), () => existsSync(join(cwd, "stopped/freeze.json")), ended(7)];
    for (const reached of moments) expect((await endedWhen(reached, "SIGKILL")).code).toBeNull();
    const { code, stdout } = await run(...go);
    expect([code, JSON.parse(stdout)]).toEqual([5, expect.objectContaining({ state: "finished" })]);
    expect([endings("stopped").length, new Set(endings("stopped")).size]).toEqual([8, 8]);
  });
});

describe.skipIf(needs("bubblewrap"))("forge improve with bad input", { timeout: 300_000 }, () => {
  const refusal = async (...args: string[]): Promise<unknown[]> => {
    const { code, stderr } = await run("improve", ...args);
    return [code, stderr];
  };

  it("says what is wrong with the request, and what to do", async () => {
    const seen = await Promise.all([
      refusal("jobs/s", "--tasks", "tasks", "--gate", "auto"),
      refusal("jobs/s", "--tasks", "tasks", "--base", "x.yaml"),
      refusal("nowhere", "--tasks", "tasks"),
      refusal("jobs/s", "--tasks", "demo", "--yes"),
      refusal("jobs/s", "--tasks", "tasks", "--config", "other"),
    ]);
    expect(seen).toEqual([
      [2, expect.stringContaining("--budget, such as 60m")],
      [2, expect.stringContaining("belongs to --gate auto")],
      [3, expect.stringContaining('There is no job "nowhere"')],
      [2, expect.stringContaining("is not a generated task")],
      [2, expect.stringContaining("it has short")],
    ]);
  });

  it("says what is wrong with the tasks, and what to do", async () => {
    await Promise.all([generate("sql-report", "one"), generate("group-totals", "test-only")]);
    expect(await refusal("jobs/s", "--tasks", "one", "--yes")).toEqual([2, expect.stringContaining("none of them for the test")]);
    const toml = join(cwd, "one/sql-report-easy-0001/task.toml");
    writeFileSync(toml, readFileSync(toml, "utf8").replace(/^(family|split|generated) = .*\n/gm, ""));
    await Promise.all([bench("one", "jobs/alone"), bench("test-only", "jobs/test-only")]);
    expect(await refusal("jobs/alone", "--tasks", "tasks", "--yes")).toEqual([3, expect.stringContaining("its tasks name no family")]);
    expect(await refusal("jobs/test-only", "--tasks", "tasks", "--yes")).toEqual([
      3,
      expect.stringContaining("kept for the test, and may not be read"),
    ]);
  });
});
