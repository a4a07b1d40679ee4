import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { forgeHere as forge } from "../../cli/forge-here.ts";
import { cleanUp, emptyFolder, put, type Answer } from "../../e2e/forge.ts";

afterAll(cleanUp);
const root = emptyFolder();
const compare = (...args: string[]): Promise<Answer> => forge(["compare", ...args], { cwd: root });
const arm = (name: string, passes: (i: number) => boolean): string =>
  Array.from({ length: 40 }, (_, i) => `t${i},${name},1,${Number(passes(i))}`).join("\n");

put(root, "mine/runs.csv", `task,arm,repeat,score\n${arm("old", () => true)}\n${arm("new", (i) => i > 20)}\n${arm("same", () => true)}\n`);
put(root, "hostile.csv", "task,arm,score\n\u001b[31mx,\u202ea,1\n\u001b[31mx,b,0\n");
cpSync(join(import.meta.dirname, "../../fixtures/imported/harbor"), join(root, "harbor"), { recursive: true });

describe("forge compare on runs of other runners", () => {
  it("answers by its exit code, with the baseline's name, and counts the decisions beside the file", async () => {
    const answer = await compare("mine/runs.csv", "--baseline", "old");
    expect(answer.stdout).toMatch(/^Compared with old: 1 worse \(new\), 1 no difference shown\.\n/);
    expect(answer.stdout).toMatch(/^new +19\/40 .* ▼ −53 \(/m);
    expect(answer.stdout).not.toContain("time/trial"); // nothing of it is known
    expect(answer.stdout).toContain("not known: --all");
    const all = await compare("mine/runs.csv", "--baseline", "old", "--all");
    expect(all.stdout).toContain("not known: tasks are matched by name");
    expect(answer.code).toBe(1);
    expect(readFileSync(join(root, "mine/ledger.jsonl"), "utf8").trim().split("\n")).toHaveLength(2);
  });

  it("gates jobs of Harbor against a folder as the baseline, in JSON and Markdown too", async () => {
    const [gate, json, markdown] = await Promise.all([
      compare("harbor/harbor-0.25", "--baseline", "harbor/harbor-0.24", "--gate"),
      compare("harbor/harbor-0.24", "harbor/harbor-0.25", "--json"),
      compare("harbor/harbor-0.24", "harbor/harbor-0.25", "--markdown"),
    ]);
    expect(gate.stdout).toContain("Gate cannot tell: No verdict");
    expect(gate.code).toBe(5);
    expect(JSON.parse(json.stdout)).toMatchObject({
      arms: [{ measuredBy: "Harbor", costUsd: null }, { name: "oracle (harbor/harbor-0.25)" }],
      notKnown: expect.arrayContaining([expect.stringContaining("VerifierOutputParseError 1")]),
    });
    expect(markdown.stdout).toContain("not known: ");
    expect(existsSync(join(root, "harbor/ledger.jsonl"))).toBe(false);
  });

  it("plans the next comparison by the variance of results that are there", async () => {
    const planned = await compare("plan", "mine/runs.csv", "--tasks", "80", "--json");
    expect(JSON.parse(planned.stdout)).toMatchObject({ from: "single trials", asked: { tasks: 80, repeats: 1 } });
  });

  it("says in one sentence what a place is not, and lets no name of a table reach the terminal as it is", async () => {
    const [nowhere, forced, wrong, hostile, other] = await Promise.all([
      compare("mine/nothing.csv"),
      compare("mine", "--format", "csv"),
      compare("mine/runs.csv", "--format", "tsv"),
      compare("hostile.csv"),
      compare("mine/runs.csv", "--baseline", "nobody"),
    ]);
    expect([nowhere.code, forced.code, wrong.code, hostile.code, other.code]).toEqual([3, 2, 2, 0, 2]);
    expect(nowhere.stderr).toContain("There is no file or folder mine/nothing.csv");
    expect(forced.stderr).toContain("mine is a folder; name the file.");
    expect(wrong.stderr).toContain('--format: expected forge, harbor, terminal-bench, inspect, csv, jsonl, langsmith, got "tsv".');
    expect(other.stderr).toContain('there is no configuration "nobody"; there are new, old, same.');
    expect(["\u001b", "\u202e"].some((mark) => hostile.stdout.includes(mark))).toBe(false);
  });
});
