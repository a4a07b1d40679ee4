import { readFileSync } from "node:fs";
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
const report = (...args: string[]): Promise<Answer> => forge(["report", ...args], { cwd: root });

write(job({ bare: suite(40, () => 0, 3), careful: suite(40, (i) => (i < 30 ? 1 : 0), 3) }, { folder: "jobs/one-1a" }));

describe("forge report", () => {
  it("says the verdict first, and answers 0 whatever it is: it is no gate", async () => {
    const answer = await report("one-1a", "--baseline", "careful");
    expect(answer.stdout).toMatch(/^bare is worse than careful by 75 points/);
    expect(answer.stdout).toContain("0 fixed, 30 broken");
    expect(answer.code).toBe(0);
  });

  it("writes one page, whose links lead from where it lies to the runs", async () => {
    put(root, "out/keep", "");
    const answer = await report("jobs/one-1a", "--html", "out/page.html");
    expect(answer).toMatchObject({ code: 0, stdout: expect.stringMatching(/^careful is better than bare.*\nout\/page\.html\n$/) });
    const page = readFileSync(join(root, "out/page.html"), "utf8");
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain('href="../jobs/one-1a/trials/x/"');
  });

  it("answers in Markdown and in JSON, and counts its decision where forge compare does", async () => {
    const [markdown, json] = [await report("one-1a", "--markdown"), await report("one-1a", "--json")];
    expect(markdown.stdout).toMatch(/^### suite\n\n\*\*careful is better/);
    expect(markdown.stdout).toContain("| t00 | 0/3 | 3/3 |");
    expect(JSON.parse(json.stdout)).toMatchObject({
      comparison: { pairs: [{ verdict: { word: "better" } }], ledger: { file: "jobs/ledger.jsonl" } },
      arms: [{ name: "bare", passCurve: [{ k: 1 }, { k: 2 }, { k: 3 }] }, { name: "careful" }],
      interventions: { rows: [], unread: 0, torn: 0 },
    });
  });

  it("shows of another runner's results what they tell", async () => {
    const rows = Array.from({ length: 40 }, (_, i) => [`t${i},a,1,0`, `t${i},b,1,${i % 4 === 0 ? 0 : 1}`]).flat();
    put(root, "scores.csv", ["task,arm,repeat,score", ...rows, ""].join("\n"));
    const answer = await report("scores.csv", "--html", "csv.html", "--markdown");
    expect(answer.stdout, answer.stderr).toMatch(/\*\*b is better than a/);
    const page = readFileSync(join(root, "csv.html"), "utf8");
    expect(page).toContain("40 tasks × 2 configurations × 1 repeat, measured by");
    expect(page).toContain('title="repeat 1: failed" aria-label="repeat 1: failed">○</span>');
    expect(page).not.toContain("No middleware intervened");
    expect(page).not.toMatch(/NaN|Infinity|null|undefined/);
  });

  it("says in one sentence what it cannot do", async () => {
    const [gone, both, nowhere] = await Promise.all([
      report("jobs/gone"),
      report("one-1a", "--json", "--markdown"),
      report("one-1a", "--html", "no/such/folder/page.html"),
    ]);
    expect(gone).toMatchObject({ code: 3, stderr: expect.stringContaining("jobs/gone") });
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("--json and --markdown: give one of them.") });
    expect(nowhere).toMatchObject({ code: 3, stderr: expect.stringContaining("--html: no/such/folder/page.html cannot be written") });
  });
});
