import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueSchema } from "../../../analyzer/contract.ts";
import { storedIssueSchema, type StoredIssue } from "../../../analyzer/issues/stored-issue.ts";
import { acceptedText } from "../../../cli/issues/decide-issues.ts";
import { issueTable } from "../../../reports/terminal/issues.ts";
import { forgeHere as forge } from "../../cli/forge-here.ts";
import { cleanUp, emptyFolder, jsonLines, type Answer } from "../../e2e/forge.ts";
import { writeRuns } from "../analyze/write-runs.ts";

const demo = join(import.meta.dirname, "../../../cli/demo/recorded.tar.gz");
const cwd = emptyFolder();
const issues = (...args: string[]): Promise<Answer> => forge(["issues", ...args], { cwd });
const fileOf = (id: string): string => join(cwd, ".forge/issues", `${id}.json`);
const stored = (id: string): StoredIssue => storedIssueSchema.parse(JSON.parse(readFileSync(fileOf(id), "utf8")));
let id = "";

beforeAll(async () => {
  await forge(["analyze", demo], { cwd });
  const first = jsonLines((await issues("list", "--json")).stdout)
    .map((line) => issueSchema.parse(line))
    .find(({ patch }) => patch !== null);
  id = first?.id ?? "";
}, 300_000);
afterAll(cleanUp);

describe("forge issues", { timeout: 300_000 }, () => {
  it("lists, shows and exports what was found, within 80 columns", async () => {
    const [list, bare, show, json, markdown, objects] = await Promise.all([
      issues("list"),
      issues(),
      issues("show", "1"),
      issues("show", id, "--json"),
      issues("export"),
      issues("export", "--json"),
    ]);
    expect(list.stdout).toBe(bare.stdout);
    expect(list.stdout).toContain("Accept: forge issues accept 1");
    expect(show.stdout).toMatch(/Evidence\n1 \S+, step 1, event \d+/);
    expect(show.stdout).toMatch(/Leak check/);
    const [, run = ""] = /Read 1 whole:\n {2}forge (traces show \S+)\n/.exec(show.stdout) ?? [];
    expect((await forge(run.split(" "), { cwd })).stdout).toMatch(/turn 1 .*\(from event \d+\)/);
    expect(storedIssueSchema.parse(JSON.parse(json.stdout)).id).toBe(id);
    expect(markdown.stdout).toMatch(/^# Issues of the harness\n\n## The first reply has a JSON call block/);
    expect(jsonLines(objects.stdout)).toHaveLength(list.stdout.split("\n").findIndex((line) => line === "") - 1);
    for (const { stdout } of [list, show])
      expect(Math.max(...stdout.split("\n").map((line) => (line.startsWith("  forge ") ? 0 : line.length))), stdout).toBeLessThanOrEqual(
        80,
      );
    expect((await issues("export", "--out", "no/folder.md")).code).toBe(3);
  });

  it("names the job of each issue where a store has seen several, else the one below the list", () => {
    const of = (job: string): StoredIssue => ({ ...stored(id), runs: [`${job}/trials/a/bare/1/attempt-1`] });
    expect(issueTable([of("jobs/one"), of("jobs/one")])).toMatch(/ status\n[^]*\n\nOf jobs\/one\.$/);
    const table = issueTable([of("jobs/one"), of("/a/far/folder/of/jobs/two")]).split("\n");
    expect(table[0]).toMatch(/ status +job$/);
    expect([table[1], table[2]]).toEqual([expect.stringMatching(/ jobs\/one$/), expect.stringMatching(/ …\/jobs\/two$/)]);
    expect(Math.max(...table.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it("prints a bench of an accepted patch that asks the model where the runs asked it", () => {
    const issue = stored(id);
    const { base } = issue;
    if (!base) throw new Error("the issue has no base");
    const text = acceptedText({ issue, base: "base.yaml", patch: "patch.yaml", hashBefore: "1", hashAfter: "2", exact: true });
    expect(base.baseUrl).toMatch(/^http:/);
    expect(text).toContain(`--model ${base.model} \\\n    --base-url '${base.baseUrl ?? ""}'`);
  });

  it("accepts a patch, with who, when and both hashes, and lays it into a configuration that is named", async () => {
    const before = await issues("apply", id, "--to", "forge.yaml", "--yes");
    expect([before.code, before.stderr]).toEqual([3, expect.stringContaining("is not accepted, and nothing else changes a configuration")]);
    const { code, stdout, stderr } = await issues("accept", id, "--json");
    expect(code, stderr).toBe(0);
    const accepted = JSON.parse(stdout) as Record<string, string>;
    const [event] = stored(id).history.slice(-1);
    expect(event).toMatchObject({
      what: "accepted",
      by: expect.stringMatching(/./),
      hashBefore: accepted["hashBefore"],
      hashAfter: accepted["hashAfter"],
    });
    expect(event?.at).toBeGreaterThan(1_700_000_000_000);
    expect(accepted["hashBefore"]).not.toBe(accepted["hashAfter"]);
    expect(readFileSync(join(cwd, accepted["patch"] ?? ""), "utf8")).toContain("extends: ./");
    const unasked = await issues("apply", id, "--to", "forge.yaml");
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining("add --yes")]);
    const applied = await issues("apply", id, "--to", "forge.yaml", "--yes", "--json");
    expect(JSON.parse(applied.stdout)).toEqual({ issue: id, to: "forge.yaml", changed: true });
    expect(readFileSync(join(cwd, "forge.yaml"), "utf8")).toContain("extends: ./.forge/issues/patches/");
    expect((await issues("apply", id, "--to", "forge.yaml", "--yes")).stdout).toBe("forge.yaml has the change already.\n");
  });

  it("edits and rejects, says where a patch is wrong, and remembers the reason", async () => {
    writeFileSync(join(cwd, "wrong.yaml"), "tols: [bash]\n");
    writeFileSync(join(cwd, "mine.yaml"), "limits: {turns: 31}\n");
    const wrong = await issues("edit", id, "--patch", "wrong.yaml");
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/wrong\.yaml: tols: .*did you mean "tools"/)]);
    expect(JSON.parse((await issues("edit", id, "--patch", "mine.yaml", "--json")).stdout)).toMatchObject({ issue: id });
    expect(stored(id)).toMatchObject({ status: "open", change: { limits: { turns: 31 } } });
    expect((await issues("reject", id, "--reason", " ")).code).toBe(2);
    const rejected = await issues("reject", id, "--reason", "we need edit", "--json");
    expect(JSON.parse(rejected.stdout)).toEqual({ issue: id, status: "rejected" });
    expect(stored(id).history.at(-1)).toMatchObject({ what: "rejected", reason: "we need edit" });
    expect((await issues("show", "zz")).stderr).toMatch(/There is no issue "zz"; there are 2 \(/);
    expect((await issues("show", id)).stdout).toContain("\nRejected: we need edit\n");
    // it still explains the runs that it explained, and is not listed unless asked for
    const [again, all] = [await forge(["analyze", demo], { cwd }), await forge(["analyze", demo, "--all"], { cwd })];
    expect(again.stdout).toMatch(/^96 runs, 18 failed\. 2 issues cover 14 of the 18;/);
    expect(again.stdout).toContain("\n1 rejected issue: --all\n");
    expect(again.stdout).not.toContain("The first reply has a JSON call block");
    expect(all.stdout).toMatch(/The first reply has a JSON call block\n.* rejected\n/);
  });

  it("works with the others where a file is broken, and names it", async () => {
    const all = jsonLines((await issues("list", "--json")).stdout);
    const other = all.find((issue) => issue["id"] !== id)?.["id"] as string;
    const whole = readFileSync(fileOf(other), "utf8");
    writeFileSync(fileOf(other), whole.replace('"priority": "', '"priority": "x'));
    const list = await issues("list", "--json");
    expect(jsonLines(list.stdout)).toHaveLength(all.length - 1);
    expect([list.code, list.stderr]).toEqual([
      0,
      expect.stringMatching(/^1 issue file cannot be read and is left as it is:\n {2}\S+: priority:/),
    ]);
    expect((await issues("show", id)).code).toBe(0);
    const broken = await issues("show", other);
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringMatching(/priority: expected one of fix, .*correct it/)]);
    writeFileSync(fileOf(other), whole);
  });

  it("keeps through the next analysis what a person wrote into a file", async () => {
    writeFileSync(fileOf(id), readFileSync(fileOf(id), "utf8").replace(/"title": "[^"]*"/, '"title": "My own words"'));
    mkdirSync(join(cwd, "runs"));
    writeRuns(join(cwd, "runs"), ["zebra"]);
    const { code, stderr } = await forge(["analyze", demo, "runs"], { cwd });
    expect(code, stderr).toBe(0);
    expect(stored(id)).toMatchObject({ title: "My own words", status: "rejected", change: { limits: { turns: 31 } } });
    expect(stored(id).history.at(-1)?.what).toMatch(/grown|same/);
  });

  it("has a sentence for a store without issues, and for one that is no folder", async () => {
    writeFileSync(join(cwd, "a-file"), "");
    expect(await issues("list", "--store", "nothing")).toMatchObject({
      code: 0,
      stdout: "There are no issues yet. Look for some: forge analyze JOB\n",
    });
    const file = await issues("list", "--store", "a-file");
    expect([file.code, file.stderr]).toEqual([3, expect.stringContaining("a-file cannot be read")]);
  });
});
