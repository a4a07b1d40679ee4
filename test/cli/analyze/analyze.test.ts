import { appendFileSync, cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { analysisSchema, type Analysis } from "../../../analyzer/contract.ts";
import { forgeHere as forge } from "../../cli/forge-here.ts";
import { cleanUp, emptyFolder, listing, put } from "../../e2e/forge.ts";
import { eventsOf, type MadeRun } from "../../analyzer/make-run.ts";
import { writeRun } from "../../traces/write-run.ts";
import { writeRuns } from "./write-runs.ts";

afterAll(cleanUp);

const demo = join(import.meta.dirname, "../../../cli/demo/recorded.tar.gz");
type Printed = Analysis & {
  readonly notes: readonly string[];
  readonly brokenIssues: readonly { id: string; file: string; why: string }[];
};
async function analyze(cwd: string, ...sources: string[]): Promise<Printed> {
  const { code, stdout, stderr } = await forge(["analyze", ...sources, "--json"], { cwd });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Printed; // held to the contract where it counts
}

describe("forge analyze", { timeout: 300_000 }, () => {
  it("says of an archive what fails and what to change, and stores the analysis and its issues", async () => {
    const cwd = emptyFolder();
    const { code, stdout, stderr } = await forge(["analyze", demo], { cwd });
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^96 runs, 18 failed\. \d issues? covers? \d+ of the 18;[^#]*\s+unclassified\.\n/);
    expect(stdout).toContain("#1  The first reply has a JSON call block");
    expect(stdout).toContain("suggested  offer bash alone");
    expect(stdout).toContain("Evidence: forge issues show 1");
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    const [analysis = ""] = readdirSync(join(cwd, ".forge/analyses"));
    expect(stdout).toContain(`analysis ${analysis}`);
    const lines = readFileSync(join(cwd, ".forge/analyses", analysis, "analysis.jsonl"), "utf8")
      .trimEnd()
      .split("\n");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ t: "seal" });
    const again = await analyze(cwd, demo);
    const { notes, brokenIssues, ...rest } = again;
    expect(notes).toEqual([]);
    expect(brokenIssues).toEqual([]);
    expect(analysisSchema.parse(rest)).toMatchObject({ analysis, runs: 96, failed: 18, leftOut: [] });
    expect(again.issues.map(({ id }) => `${id}.json`).toSorted()).toEqual(
      readdirSync(join(cwd, ".forge/issues")).filter((name) => name.endsWith(".json")),
    );
  });

  it("says what to do where nothing failed, where there is one task, and where models are simulated alone", async () => {
    const cwd = emptyFolder();
    const said = async (name: string, ...runs: MadeRun[]): Promise<string> => {
      for (const [i, made] of runs.entries()) writeRun(join(cwd, name, String(i)), eventsOf({ ...made, instruction: `${name} ${i}` }));
      const { code, stdout } = await forge(["analyze", name], { cwd });
      expect(code).toBe(0);
      return stdout.replaceAll("\n", " ");
    };
    const turns = [{ text: "DONE" }];
    expect(await said("none", { turns, passed: true })).toMatch(/^1 run, 0 failed\. .*No run failed: .* Analyze a job with failures\./);
    expect(await said("one", { turns, passed: true, task: "t" }, { turns, passed: false, task: "t" })).toMatch(
      /All runs are of one task: .* Bench more tasks\./,
    );
    expect(await said("sim", { turns, passed: false, model: "sim/solver" })).toMatch(/Every model is simulated: .* Bench a real one\./);
    expect(await said("unjudged", { turns })).toMatch(/No run has a verdict, .*: analyze runs of forge bench/);
  });

  it("leaves damaged, later, foreign and half-written runs out, names and counts them, and looks at the rest", async () => {
    const cwd = emptyFolder();
    writeRuns(join(cwd, "runs"), ["a"]);
    const trace = (name: string): string => join(cwd, "runs", name, "trace.jsonl");
    for (const name of ["damaged", "half", "later", "foreign"]) cpSync(join(cwd, "runs/a-0"), join(cwd, "runs", name), { recursive: true });
    writeFileSync(trace("damaged"), readFileSync(trace("damaged"), "utf8").replace("sed", "awk"));
    const half = readFileSync(trace("half"), "utf8").split("\n").slice(0, 2).join("\n");
    rmSync(join(cwd, "runs/half"), { recursive: true });
    put(cwd, "runs/half/trace.jsonl", `${half.slice(0, -5)}`);
    rmSync(join(cwd, "runs/later"), { recursive: true });
    put(cwd, "runs/later/trace.jsonl", `${JSON.stringify({ v: 99, format: "later" })}\n`);
    rmSync(join(cwd, "runs/foreign"), { recursive: true });
    put(cwd, "runs/foreign/trace.jsonl", '{"hello": "world"}\n');
    const { runs, failed, leftOut } = await analyze(cwd, "runs");
    expect({ runs, failed }).toEqual({ runs: 4, failed: 2 });
    expect(leftOut.map(({ run }) => run)).toEqual(["runs/damaged", "runs/foreign", "runs/half", "runs/later"]);
    for (const { why } of leftOut) expect(why).toMatch(/\.$/);
    const { stdout } = await forge(["analyze", "runs", "--all"], { cwd });
    expect(stdout).toContain("4 runs left out:");
    for (const { run } of leftOut) expect(stdout).toContain(run);
  });

  it("says where a source cannot be read, and with which code", async () => {
    const cwd = emptyFolder({ "empty/keep": "", "text.tgz": "no archive" });
    for (const source of ["empty", "nowhere", "text.tgz"]) {
      const { code, stdout, stderr } = await forge(["analyze", source], { cwd });
      expect({ code, stdout }).toEqual({ code: source === "text.tgz" ? 4 : 3, stdout: "" });
      expect(stderr).toMatch(/\.\n$/);
    }
    expect(existsSync(join(cwd, ".forge"))).toBe(false);
  });

  it("goes on where an issue file is broken: named, counted, left as it is, and not written a second time", async () => {
    const cwd = emptyFolder();
    writeRuns(join(cwd, "runs"));
    const first = await analyze(cwd, "runs");
    const [issue] = first.issues;
    const file = join(cwd, ".forge/issues", `${issue?.id}.json`);
    const whole = readFileSync(file, "utf8");
    const broken = whole.replace('"status": "open"', '"status": "mine"');
    writeFileSync(file, broken);
    writeRuns(join(cwd, "runs"), ["g"]); // another analysis, not the same again
    const second = await analyze(cwd, "runs");
    expect(readFileSync(file, "utf8")).toBe(broken);
    expect(second.brokenIssues).toMatchObject([
      { id: issue?.id, why: expect.stringMatching(/status: expected one of open, .* got "mine"; correct it/) },
    ]);
    expect(second.issues.map(({ id }) => id)).toContain(issue?.id);
    expect(listing(join(cwd, ".forge/issues")).filter((name) => /^\w{8}\.json$/.test(name))).toHaveLength(first.issues.length);
    const { stdout } = await forge(["analyze", "runs"], { cwd });
    expect(stdout).toContain("1 issue file cannot be read and is left as it is:");
    writeFileSync(file, whole);
    writeRuns(join(cwd, "runs"), ["h"]);
    const third = await analyze(cwd, "runs");
    expect(third.brokenIssues).toEqual([]);
    expect((JSON.parse(readFileSync(file, "utf8")) as { history: { what: string }[] }).history.map(({ what }) => what)).toEqual([
      "found",
      "grown",
    ]);
  });

  it("refuses an analysis that was changed after it was sealed", async () => {
    const cwd = emptyFolder();
    writeRuns(join(cwd, "runs"), ["a"]);
    const { analysis } = await analyze(cwd, "runs");
    appendFileSync(join(cwd, ".forge/analyses", analysis, "analysis.jsonl"), "");
    const file = join(cwd, ".forge/analyses", analysis, "analysis.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace('"passed":false', '"passed":true'));
    const { code, stderr } = await forge(["analyze", "runs"], { cwd });
    expect(code).toBe(4);
    expect(stderr).toMatch(/was changed after it was sealed; remove its folder/);
  });
});
