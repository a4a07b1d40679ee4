import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { jobFolder } from "../../../evals/job/job-folder.ts";
import { jobOverview } from "../../../evals/job/job-overview.ts";
import { writeJob } from "../../reports/viewer/viewer-fixture.ts";

const root = mkdtempSync(join(tmpdir(), "forge-overview-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("what is said of a job that was copied", () => {
  it("is of when it was worked on, not of when its files were copied, and of where it lies now", async () => {
    const [first, copy] = [join(root, "first"), join(root, "copy")];
    await writeJob(first, { bare: { one: [1] } });
    const day = 86_400_000;
    const ended = Date.now() - day;
    const lines = [
      { t: "job.open", ts: ended - 1000, jobs: 1 },
      { t: "job.close", ts: ended, status: "finished" },
    ];
    writeFileSync(jobFolder(first).journal, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    cpSync(first, copy, { recursive: true });
    const overview = await jobOverview(copy);
    expect([overview.touchedAt, overview.folder]).toEqual([ended, copy]);
    utimesSync(jobFolder(copy).journal, 0, 0);
    expect((await jobOverview(copy)).touchedAt).toBe(ended);
    // where the journal tells no time, the file does
    writeFileSync(jobFolder(copy).journal, "");
    utimesSync(jobFolder(copy).journal, 1000, 1000);
    expect((await jobOverview(copy)).touchedAt).toBe(1_000_000);
  });

  it("names no folder of the machine that it was made on", async () => {
    const archive = join(import.meta.dirname, "../../../docs/results/2026-11-22-three-configurations.tar.gz");
    const name = "6746b6bff415";
    execFileSync("tar", ["xzf", archive, "-C", root, ...["lock.json", "result.json", "journal.jsonl"].map((file) => `${name}/${file}`)]);
    const { result, folder } = await jobOverview(join(root, name));
    expect([folder, result?.folder, result?.status]).toEqual([join(root, name), join(root, name), "finished"]);
  });
});
