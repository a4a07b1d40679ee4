import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findJob, jobWord, jobWords } from "../../../evals/job/find-jobs.ts";

let root: string;
const before = process.cwd();
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "forge-jobs-")));
  put("jobs/d2c0aaaaaaaa");
  put("jobs/d2c0bbbbbbbb");
  put("jobs/1a2b3c4d5e6f", "careful");
  put("jobs/by-hand");
  put("results/77aa77aa77aa");
  process.chdir(root);
});
afterAll(() => {
  process.chdir(before);
  rmSync(root, { recursive: true });
});
function put(job: string, name?: string): void {
  mkdirSync(join(root, job), { recursive: true });
  writeFileSync(join(root, job, "lock.json"), JSON.stringify({ suite: { name: "demo" }, ...(name === undefined ? {} : { name }) }));
}

describe("a job", () => {
  it.each([
    ["1a", "jobs/1a2b3c4d5e6f"],
    ["careful", "jobs/1a2b3c4d5e6f"],
    ["care", "jobs/1a2b3c4d5e6f"],
    ["d2c0a", "jobs/d2c0aaaaaaaa"],
    ["by-hand", "jobs/by-hand"],
    ["jobs/1a2b", "jobs/1a2b3c4d5e6f"],
    ["results/77", "results/77aa77aa77aa"],
    ["./results/77aa77aa77aa", "results/77aa77aa77aa"],
  ])("is found as %s", async (named, job) => {
    expect(await findJob(named)).toBe(join(root, job));
  });

  it("is found by what a list calls it, which no other job fits", async () => {
    const jobs = ["jobs/d2c0aaaaaaaa", "jobs/d2c0bbbbbbbb", "jobs/1a2b3c4d5e6f", "jobs/by-hand", "results/77aa77aa77aa"];
    const words = await jobWords(jobs.map((job) => join(root, job)));
    expect([...words.values()]).toEqual(["d2c0a", "d2c0b", "careful", "by-hand", "results/77aa"]);
    for (const [job, word] of words) expect(await findJob(word)).toBe(job);
    expect(await jobWord(join(root, "results", "elsewhere"))).toBe("results/elsewhere");
  });

  it("that several fit, or none, is an error that names those that fit", async () => {
    await expect(findJob("d2")).rejects.toThrow('"d2" fits 2 jobs: d2c0a, d2c0b; write more of the name.');
    await expect(findJob("zz")).rejects.toThrow('There is no job "zz", neither as a folder nor in ./jobs; `forge jobs list` shows');
  });
});
