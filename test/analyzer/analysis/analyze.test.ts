import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { analyze, type Analyzed } from "../../../analyzer/analysis/analyze.ts";
import { analysisSchema } from "../../../analyzer/contract.ts";
import { findSources } from "../../../analyzer/runs/find-sources.ts";
import { presets } from "../../../middleware/presets/presets.ts";
import { replayParts } from "../../../assembly/registry.ts";
import { systemClock } from "../../../harness/system-ports.ts";
import { eventsOf, type MadeRun } from "../make-run.ts";
import { writeRun } from "../../traces/write-run.ts";

const root = mkdtempSync(join(tmpdir(), "forge-analyze-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const demo = join(import.meta.dirname, "../../../cli/demo/recorded.tar.gz");
const never = new AbortController().signal;

const run = (sources: readonly string[], name: string): Promise<Analyzed> =>
  analyze(
    { sources, analyses: join(root, name, "analyses"), store: join(root, name, "issues") },
    { clock: systemClock, signal: never, presets, replay: replayParts({ trust: false }) },
  );
const without = ({ analysis }: Analyzed): unknown => ({
  findings: analysis.findings,
  issues: analysis.issues,
  unclassified: analysis.unclassified,
});

describe("an analysis", () => {
  it("finds by itself in the recorded demo what a person found by reading, and proposes a patch", async () => {
    const { analysis, issues, contrast } = await run([demo], "demo");
    expect(analysisSchema.parse(analysis)).toEqual(analysis);
    expect(analysis).toMatchObject({ runs: 96, failed: 18, leftOut: [] });
    const [issue] = issues;
    expect(issue).toMatchObject({
      kind: "malformed-call",
      configurations: ["standard-text"],
      passed: 0,
      change: { tools: ["bash"] },
      priority: "fix",
    });
    expect(issue?.failed).toBeGreaterThanOrEqual(10);
    // without other tools than bash every run is sent another prompt, and four of them called such a tool
    expect(issue?.radius).toMatchObject({ replayed: 48, of: 48, every: "prompt", touched: { failed: 2, passed: 2 }, why: "" });
    expect(issue?.atRisk).toHaveLength(2);
    const [, added] = issues;
    expect(added?.change).toEqual({ middleware: ["completion-gate"] });
    expect(added?.radius).toMatchObject({ replayed: 48, every: null, shown: { replayed: 2 } });
    expect(contrast.contrasts.some(({ feature, found }) => found && feature === "first-reply-json-call")).toBe(true);
    expect(analysis.findings.filter(({ rank }) => rank === 1).length + analysis.unclassified.length).toBe(18);
  });

  it("says the same of the same runs in any order, and again", async () => {
    const folder = join(root, "jobs");
    const made = (task: string, n: number, passed: boolean): MadeRun => ({
      instruction: `${task} ${n}`,
      task,
      passed,
      turns: [{ text: passed ? "" : '```json\n{"tool": "sed", "args": {}}\n```', calls: passed ? [{ args: "ls", output: "a" }] : [] }],
    });
    const tasks = ["a", "b", "c", "d", "e", "f"];
    const folders = tasks.flatMap((task) =>
      [0, 1, 2, 3].map((n) => writeRun(join(folder, `${task}-${n}`), eventsOf(made(task, n, n > 1)))),
    );
    const forwards = await run(folders, "forwards");
    expect(without(await run(folders.toReversed(), "backwards"))).toEqual(without(forwards));
    expect(without(await run([folder], "forwards"))).toEqual(without(forwards));
    expect(forwards.analysis).toMatchObject({ runs: 24, failed: 12, unclassified: [] });
    expect(forwards.contrast.contrasts[0]).toMatchObject({ found: true, tasks: 6, withIt: { passed: 0, failed: 12 } });
  });

  it("goes on with what an earlier process left, torn line and all, and looks at nothing twice", async () => {
    const folder = join(root, "resumed-runs");
    for (const n of [0, 1, 2, 3])
      writeRun(join(folder, `${n}`), eventsOf({ instruction: `${n}`, passed: false, turns: [{ text: "DONE" }] }));
    const first = await run([folder], "resumed");
    const path = join(first.folder, "analysis.jsonl");
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ t: "seal", lines: lines.length - 1 });
    const [, second] = await findSources([folder], never);
    const at = lines.findIndex((line) => line.includes(`"run":${JSON.stringify(second?.name)}`));
    writeFileSync(path, `${lines.slice(0, at + 1).join("\n")}\n${lines[at + 1]?.slice(0, 40)}`);
    expect(without(await run([folder], "resumed"))).toEqual(without(first));
    const again = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(again.filter((line) => line.startsWith('{"t":"run"')).toSorted()).toEqual(
      lines.filter((line) => line.startsWith('{"t":"run"')).toSorted(),
    );
  });

  it("refuses an analysis that was changed after it was sealed, and says what to do", async () => {
    const folder = join(root, "changed-runs");
    writeRun(join(folder, "one"), eventsOf({ passed: false, turns: [{ text: "DONE" }] }));
    const { folder: made } = await run([folder], "changed");
    const path = join(made, "analysis.jsonl");
    writeFileSync(path, readFileSync(path, "utf8").replace('"failed":1', '"failed":0'));
    await expect(run([folder], "changed")).rejects.toThrow(/was changed after it was sealed; remove its folder/);
  });

  it("survives another one on the same store at the same time", async () => {
    const folder = join(root, "two-runs");
    for (const n of [0, 1, 2])
      writeRun(
        join(folder, "a", `${n}`),
        eventsOf({ instruction: `a${n}`, passed: false, turns: [{ text: '{"tool": "x", "args": {}}' }] }),
      );
    cpSync(join(folder, "a"), join(folder, "b"), { recursive: true });
    const both = await Promise.all(["a", "b"].map((name) => run([join(folder, name)], "two")));
    const ids = both.map(({ issues }) => issues.map(({ id }) => id));
    expect(ids[0]).toEqual(ids[1]);
    const same = await Promise.all([run([join(folder, "a")], "same"), run([join(folder, "a")], "same")]);
    expect(without(same[0])).toEqual(without(same[1]));
  });

  it("says what its answer cannot rest on", async () => {
    const notes = async (name: string, runs: readonly MadeRun[]): Promise<string> => {
      for (const [i, made] of runs.entries()) writeRun(join(root, name, `${i}`), eventsOf({ ...made, instruction: `${name} ${i}` }));
      return (await run([join(root, name)], `${name}-out`)).notes.join(" ");
    };
    const turns = [{ text: "DONE" }];
    expect(await notes("no-verdict", [{ turns }])).toContain("No run has a verdict");
    expect(await notes("no-failure", [{ turns, passed: true }])).toContain("No run failed");
    expect(await notes("no-pass", [{ turns, passed: false }])).toContain("No run passed");
    expect(
      await notes("one-task", [
        { turns, passed: true },
        { turns, passed: false },
      ]),
    ).toContain("All runs are of one task");
    expect(await notes("simulated", [{ turns, passed: false, model: "sim/default" }])).toContain("Every model is simulated");
  });
});
