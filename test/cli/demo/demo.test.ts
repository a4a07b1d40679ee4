import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, describe, expect, it } from "vitest";
import { demoFolder } from "../../../cli/demo/show-demo.ts";
import { displayWidth } from "../../../reports/text/display-width.ts";
import { needs } from "../../needs.ts";
import { forgeHere } from "../forge-here.ts";

const root = mkdtempSync(join(tmpdir(), "forge-demo-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const main = join(import.meta.dirname, "../../../dist/cli/main.js");
const forge = (...args: string[]) => execa(process.execPath, [main, ...args], { cwd: root, reject: false });
/** A further command, in this process. */
const next = async (...args: string[]) => {
  const { code, stdout, stderr } = await forgeHere(args, { cwd: root });
  return { exitCode: code, stdout: stdout.trimEnd(), stderr };
};

/** A change of a rule, or of the prompts, that reaches the demonstration's runs makes another analysis of them than the one that was recorded. */
const recordAgain = "cli/demo/analyst.tar.gz was recorded with other rules or prompts: npx jiti scripts/demo-analyst.ts records it again";

describe.skipIf(needs("build"))("forge demo", { timeout: 120_000 }, () => {
  it("says in a screenful what each command finds in real runs, and how far that goes", async () => {
    const { exitCode, stdout, stderr } = await forge("demo", "--out", "short");
    expect(exitCode, stderr).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(40);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(100);
    expect(lines.filter((line) => /^\d {2}/.test(line)).map((line) => line.slice(3, 13).trim())).toEqual(
      ["Compare", "Replay", "Analyze", "What if"], // prettier-ignore
    );
    expect(stdout).toMatch(/^ +standard-text is worse than bare-text by 29 points \(95 % interval 15 to 43, p = \.001\)\.$/m);
    expect(stdout).toMatch(/Easy tasks whose text names the way, one small model: .* this harness\s+and this model/);
    expect(stdout).toMatch(/^ +96 of 96 exact/m);
    expect(stdout).toMatch(/^ +#1 {2}The first reply has a JSON call block/m);
    expect(stdout).toMatch(/loop-detection would act in 6 of 18 failed and 16 of 78 passed runs/);
    expect(existsSync(join(root, "short", "report.html"))).toBe(true);
    // what it names next can be typed
    const issues = await next("issues", "list", "--store", "short/issues");
    expect(issues.exitCode, issues.stderr).toBe(0);
    rmSync(join(root, "short"), { recursive: true });
  });

  it("with --all shows each command whole: compares, replays each exactly, says why they failed, asks them about a change", async () => {
    const { exitCode, stdout, stderr } = await forge("demo", "--all");
    expect(exitCode, stderr.includes("--recorded forge-demo/analyst") ? recordAgain : stderr).toBe(0);
    const [, runs, exact] = /^(\d+) runs: (\d+) exact$/m.exec(stdout) ?? [];
    expect([Number(runs) >= 90, exact]).toEqual([true, runs]);
    expect(stdout).toMatch(/^No difference shown|^\S+ is (better|worse)/m);
    expect(stdout).toMatch(/^96 runs, 18 failed\. \d+ issues cover \d+ of the 18/m);
    expect(stdout).toMatch(/Review: forge issues --store forge-demo\/issues\s+Evidence: forge issues show 1 --store forge-demo\/issues$/m);
    // half of the runs were never asked what the change asks first: that is said, and counted as nothing else
    const requests = [...stdout.matchAll(/^(would differ|would be the same|cannot be known) +(\d+) of (\d+) /gm)];
    expect(requests.map(([, what]) => what)).toEqual(["would differ", "would be the same", "cannot be known"]);
    expect(requests.reduce((sum, [, , part]) => sum + Number(part), 0)).toBe(Number(requests[0]?.[3]));
    expect(stdout).toMatch(/^local-context cannot be known in 48 runs/m);
    expect(stdout).not.toMatch(/turn 0/);
    expect(existsSync(join(root, "forge-demo", "report.html"))).toBe(true);
    // the analyst sees in five runs one mechanism, of which the rules leave two unexplained, and its conversations replay
    expect(stdout, recordAgain).toMatch(/The analyst read 18 failed runs .*: 18 cited claims;\s+dropped: none/);
    expect(stdout).toContain("written by hand");
    const conversations = await next("replay", "forge-demo/analyst");
    expect(conversations.stdout).toMatch(/^(\d\d) runs: \1 exact$/);
    const issues = await next("issues", "list", "--store", "forge-demo/issues");
    expect(issues.stdout, recordAgain).toContain("It says DONE without changing");
    const [, alone = "none"] = /forge issues show (\d+) --store forge-demo\/issues +what the analyst alone sees/.exec(stdout) ?? [];
    const issue = await next("issues", "show", alone, "--store", "forge-demo/issues");
    expect(issue.stdout).toMatch(/Named by\s+written-by-hand\/reader/);
    // what it showed can be typed again
    const again = await next("replay", "forge-demo/job/trials/build-fix-easy-0001");
    expect([again.exitCode, again.stdout]).toEqual([0, "6 runs: 6 exact"]);
    const shown = await next("issues", "show", "1", "--store", "forge-demo/issues");
    expect([shown.exitCode, shown.stdout]).toEqual([0, expect.stringContaining("The first reply has a JSON call block")]);
  });

  it("replays what earlier builds recorded as exactly", async () => {
    const kept = join(root, "kept");
    mkdirSync(kept);
    await execa("tar", ["xzf", join(import.meta.dirname, "../../../docs/results/2026-11-22-built-in-suite-runs.tar.gz"), "-C", kept]);
    const { exitCode, stdout } = await forge("replay", kept);
    rmSync(kept, { recursive: true });
    expect([exitCode, stdout]).toEqual([0, "98 runs: 98 exact"]);
  });

  it("leaves a folder alone that holds something", async () => {
    const { exitCode, stderr } = await next("demo", "--out", ".");
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("the folder is not empty")]);
    expect(readdirSync(root)).toEqual(["forge-demo"]);
  });

  it("is small enough to come with the package", () => {
    expect(statSync(join(demoFolder(), "recorded.tar.gz")).size).toBeLessThan(10e6);
    expect(statSync(join(demoFolder(), "analyst.tar.gz")).size).toBeLessThan(0.2e6);
  });
});
