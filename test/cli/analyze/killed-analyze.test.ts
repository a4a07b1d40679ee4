import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runFixture } from "../../../testing.ts";
import { sampled } from "../../needs.ts";
import { forgeHere } from "../forge-here.ts";
import { built, cleanUp, emptyFolder, forge, get, jsonLines } from "../../e2e/forge.ts";
import { eventsOf } from "../../analyzer/make-run.ts";
import { writeRun } from "../../traces/write-run.ts";
import { writeRuns } from "./write-runs.ts";

beforeAll(built, 300_000);
afterAll(cleanUp);

const preload = { NODE_OPTIONS: `--import=${join(import.meta.dirname, "kill-at.mjs")}` };

/** What an analysis left, without the hour at which it was. */
function left(cwd: string): { lines: string[]; issues: unknown[] } {
  const [id = "", ...others] = readdirSync(join(cwd, ".forge/analyses"));
  expect(others).toEqual([]);
  const names = readdirSync(join(cwd, ".forge/issues")).filter((name) => name.endsWith(".json"));
  return {
    lines: get(cwd, `.forge/analyses/${id}/analysis.jsonl`).trimEnd().split("\n"),
    issues: names
      .toSorted()
      .map((name) => JSON.parse(get(cwd, `.forge/issues/${name}`), (key, value: unknown) => (key === "at" ? 0 : value)) as unknown),
  };
}

describe("forge analyze that is ended by force", { timeout: 300_000 }, () => {
  it("at any moment, in the middle of what it writes, goes on to what an undisturbed one leaves, and looks at no run twice", async () => {
    const source = emptyFolder();
    writeRuns(join(source, "runs"));
    const again = { calls: [{ args: "make", output: "make: *** [all] Error 2" }] }; // a fault at a step
    for (const n of [1, 2])
      writeRun(
        join(source, "runs", `again-${n}`),
        eventsOf({ instruction: `again ${n}`, task: "again", passed: false, turns: Array(6).fill(again) }),
      );
    const analyze = (cwd: string, env: Record<string, string> = {}) => forge(["analyze", join(source, "runs"), "--json"], { cwd, env });
    const undisturbed = emptyFolder();
    const count = join(emptyFolder(), "count");
    const whole = await analyze(undisturbed, { ...preload, KILL_COUNT: count });
    expect(whole.code, whole.stderr).toBe(0);
    expect(whole.stdout).toContain('"detector":"repeated-call"');
    const steps = Number(readFileSync(count, "utf8"));
    expect(steps).toBeGreaterThan(10);
    for (const moment of sampled([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 3, 6, 9])) {
      const cwd = emptyFolder();
      const at = 1 + Math.round((moment * (steps - 1)) / 9);
      const killed = await analyze(cwd, { ...preload, KILL_AT: String(at) });
      expect([at, killed.code, killed.stdout]).toEqual([at, null, ""]);
      const resumed = await analyze(cwd);
      expect([at, resumed.code, resumed.stderr]).toEqual([at, 0, ""]);
      expect(JSON.parse(resumed.stdout)).toEqual(JSON.parse(whole.stdout));
      expect(left(cwd)).toEqual(left(undisturbed));
      const looked = left(cwd).lines.flatMap((line) => (JSON.parse(line) as { t: string; run: string }).run ?? []);
      expect(looked).toHaveLength(new Set(looked).size);
    }
  });

  it("leaves an archive that it has unpacked to the next one, which removes it", async () => {
    const cwd = emptyFolder();
    const temporary = emptyFolder();
    writeRun(join(cwd, "runs", "one"), (await runFixture({ script: [{ text: "done" }] })).events);
    expect((await forgeHere(["traces", "bundle", "runs", "--out", "shared.tgz"], { cwd })).code).toBe(0);
    const [args, env] = [["analyze", "shared.tgz"], { TMPDIR: temporary }];
    expect((await forge(args, { cwd, env: { ...env, ...preload, KILL_AT: "5" } })).code).toBe(null);
    expect(readdirSync(temporary)).toHaveLength(1);
    expect((await forge(args, { cwd, env })).code).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("survives another process on the same store at the same time", async () => {
    const cwd = emptyFolder();
    writeRuns(join(cwd, "one"));
    writeRuns(join(cwd, "two"), ["a", "b", "c", "d", "e", "f", "g", "h"]);
    const both = await Promise.all(["one", "two"].map((name) => forge(["analyze", name, "--json"], { cwd })));
    expect(both.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ""],
      [0, ""],
    ]);
    const analyses = readdirSync(join(cwd, ".forge/analyses"));
    expect(analyses).toHaveLength(2);
    for (const id of analyses) {
      const last = get(cwd, `.forge/analyses/${id}/analysis.jsonl`).trimEnd().split("\n").at(-1) ?? "";
      expect(JSON.parse(last)).toMatchObject({ t: "seal" });
    }
    const { stdout } = await forgeHere(["issues", "list", "--json"], { cwd });
    const said = both.flatMap(({ stdout: printed }) => (JSON.parse(printed) as { issues: { id: string }[] }).issues.map(({ id }) => id));
    expect(new Set(jsonLines(stdout).map(({ id }) => id))).toEqual(new Set(said));
  });
});
