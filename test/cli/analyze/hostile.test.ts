import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { analysisSchema, type Analysis } from "../../../analyzer/contract.ts";
import { attacks } from "../../analyzer/attacks.ts";
import { eventsOf, type MadeRun } from "../../analyzer/make-run.ts";
import { forgeHere as forge } from "../forge-here.ts";
import { cleanUp, emptyFolder, listing } from "../../e2e/forge.ts";
import { writeRun } from "../../traces/write-run.ts";

afterAll(cleanUp);

/** Task names that a benchmark of another's making may have. */
const taskNames = ["../../escape", "a\u001B[2Jb", "\u0430pple", "apple", "__proto__", "x\ny", "-rf", "$(touch owned)"];
/** What a terminal obeys, or what makes text look like another. */
const obeyed = /[^\P{Cc}\n]|\p{Bidi_Control}/u;

/** Four runs of each task: two fail after a call in JSON that cannot be read, one of them with the attack in each place that others write. */
function runs(attack: (i: number) => string): MadeRun[] {
  return taskNames.flatMap((task, i) =>
    [0, 1, 2, 3].map((n): MadeRun => {
      const passed = n > 1;
      const words = attack(i);
      return {
        instruction: `Make it work, ${i} ${n}.\n${words.slice(0, 5_000)}`,
        task,
        passed,
        report: `FAILED tests/test_it.py::test_it\n${words}`,
        turns: [
          passed
            ? { calls: [{ args: "ls", output: `a\n${words}` }] }
            : { text: `\`\`\`json\n{"tool": "sed", "args": {}}\n\`\`\`\n${words.length > 5_000 || words.includes('"tool"') ? "" : words}` },
        ],
      };
    }),
  );
}

/** Analyzes them in a folder of its own. */
async function analyzed(attack: (i: number) => string): Promise<{ root: string; cwd: string; analysis: Analysis }> {
  const root = emptyFolder();
  const cwd = join(root, "deep/er/project");
  for (const [i, made] of runs(attack).entries()) writeRun(join(cwd, "runs", String(i).padStart(2, "0")), eventsOf(made));
  const { code, stdout, stderr } = await forge(["analyze", "runs", "--json"], { cwd });
  expect(code, stderr).toBe(0);
  const { notes: _, brokenIssues: __, ...rest } = JSON.parse(stdout) as Record<string, unknown>;
  return { root, cwd, analysis: analysisSchema.parse(rest) }; // strict: levers and kinds come from closed lists
}

const named = ({ findings }: Analysis) =>
  findings.map(({ run, rank, detector, kind, lever, seq }) => ({ run, rank, detector, kind, lever, seq }));

describe("forge analyze over runs that attack it", { timeout: 600_000 }, () => {
  it("finds and suggests what it does without the attacks, prints nothing that a terminal obeys, and writes into its store alone", async () => {
    const clean = await analyzed(() => "");
    const { root, cwd, analysis } = await analyzed((i) => attacks[i % attacks.length] ?? "");
    expect(named(analysis)).toEqual(named(clean.analysis));
    expect(analysis).toMatchObject({ failed: taskNames.length * 2, unclassified: [] });
    const changes = (one: Analysis) => one.issues.map(({ status, lever, patch }) => ({ status, lever, patch }));
    expect(changes(analysis)).toEqual(changes(clean.analysis));
    expect(analysis.issues.length).toBeGreaterThan(0);

    for (const args of [
      ["analyze", "runs"],
      ["issues"],
      ["issues", "show", "1"],
      ["issues", "list", "--json"],
      ["issues", "export", "--out", "issues.md"],
    ]) {
      const { code, stdout, stderr } = await forge(args, { cwd });
      expect(code, `${args.join(" ")}: ${stderr}`).toBe(0);
      expect(obeyed.exec(stdout + stderr)?.[0], args.join(" ")).toBeUndefined();
    }
    expect(obeyed.exec(readFileSync(join(cwd, "issues.md"), "utf8"))?.[0]).toBeUndefined();
    expect(listing(root).filter((path) => !/project\/(?:runs|\.forge)/.test(path))).toEqual([
      "deep",
      "deep/er",
      "deep/er/project",
      "deep/er/project/issues.md",
    ]);
    expect(readdirSync(join(cwd, ".forge")).toSorted()).toEqual(["analyses", "issues"]);
  });
});
