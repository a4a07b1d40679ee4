import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { forgeHere as forge } from "../cli/forge-here.ts";
import { cleanUp, emptyFolder, jsonLines } from "./forge.ts";

afterAll(cleanUp);

describe("forge bench", { timeout: 300_000 }, () => {
  it("makes the arms of an ablation, says before what they are, and goes on with the same command or by the job's name", async () => {
    const folder = emptyFolder({ "two.yaml": "extends: bare\nmiddleware: [local-context, loop-detection]\n" });
    const asked = ["bench", "demo", "--filter", "greet", "--ablate", "two.yaml", "--sandbox", "local", "--json"];
    const first = await forge(asked, { cwd: folder });
    expect(first.code, first.stderr).toBe(0);
    expect(first.stderr).toMatch(
      /^Ablation: 3 configurations × 1 task × 1 repeat = 3 trials; 2 comparisons, corrected for by Holm: .* under 15 tasks nothing is decided/m,
    );
    const begun = jsonLines(first.stdout);
    const job = String(begun[0]?.["job"]);
    expect(begun.filter(({ type }) => type === "trial.end")).toHaveLength(3);
    const lock = JSON.parse(readFileSync(join(folder, "jobs", job, "lock.json"), "utf8")) as Record<string, unknown>; // as the bench wrote it
    expect(lock["study"]).toEqual({
      kind: "ablation",
      pairs: [
        ["two", "two − local-context"],
        ["two", "two − loop-detection"],
      ],
    });
    const again = jsonLines((await forge(asked, { cwd: folder })).stdout);
    expect([again[0]?.["job"], again.filter(({ type }) => type === "trial.end")]).toEqual([job, []]);
    const more = await forge(["jobs", "resume", join(folder, "jobs", job), "--config", "bare", "--json"], { cwd: folder });
    expect(more.code, more.stderr).toBe(0);
    const compared = await forge(["compare", job, "--json"], { cwd: folder });
    const { pairs } = JSON.parse(compared.stdout) as { pairs: { a: string; b: string }[] };
    expect(pairs.map(({ a, b }) => `${a} | ${b}`)).toEqual(["two | two − local-context", "two | two − loop-detection", "two | bare"]);
    const report = await forge(["report", job, "--json"], { cwd: folder });
    expect(JSON.parse(report.stdout)).toMatchObject({
      commands: [{ command: expect.stringContaining("--config bare --ablate two.yaml") }],
    });
  });

  it("refuses what cannot be swept, or decided, before anything is built", async () => {
    const cwd = emptyFolder();
    const [wrong, both, lone, few] = await Promise.all([
      forge(["bench", "demo", "--sweep", "loop-detection.fileSoft=five"], { cwd }),
      forge(["bench", "demo", "--ablate", "standard", "--sweep", "loop-detection.fileSoft=3"], { cwd }),
      forge(["bench", "demo", "--add"], { cwd }),
      forge(["bench", "demo", "--config", "bare", "--config", "standard", "--until-decided", "--sandbox", "local"], { cwd }),
    ]);
    expect([wrong.code, both.code, lone.code, few.code]).toEqual([2, 2, 2, 2]);
    expect(wrong.stderr).toMatch(
      /fileSoft: expected 0 or a whole number from 2 to 100, got "five" \(--sweep loop-detection\.fileSoft=five\)/,
    );
    expect(both.stderr).toMatch(/--ablate and --sweep: give one of them/);
    expect(lone.stderr).toMatch(/--add belongs to --ablate CONFIG/);
    expect(few.stderr).toMatch(/the suite has 6 tasks, and nothing is decided on fewer than 15/);
  });
});
