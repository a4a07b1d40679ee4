import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { deltaBlobs } from "../../../evals/archive/check-delta.ts";
import { blobPath, blobsFolder } from "../../../evals/trial/keep-delta.ts";
import { sha256 } from "../../../harness/events/hash.ts";
import { removeScratch, scratch } from "../bench-fixture.ts";

afterAll(removeScratch);

const attempt = "trials/t/c/1/attempt-1";
const trace = { "trace.jsonl": "" };
/** A delta of one file, whose blob is there. */
const delta = { "delta.json": "delta" };

let job = "";
beforeEach(async () => {
  job = await scratch();
});

/** The files of an attempt by where they lie in it. */
async function write(files: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<void> {
  for (const [place, some] of Object.entries(files))
    for (const [name, content] of Object.entries(some)) {
      const folder = join(job, attempt, place);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, name), content === "delta" ? await deltaOf(place) : content);
    }
}
async function deltaOf(content: string): Promise<string> {
  const digest = sha256(content);
  const path = blobPath(blobsFolder(job), digest);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, content);
  const own = { path: "/app", base: "/app", removed: [], folders: [], files: [{ path: "f", mode: 0o644, digest }], links: [], refused: [] };
  return JSON.stringify({ v: 1, paths: [own] });
}
const told = (...names: string[]) => ({ "steps.json": JSON.stringify({ v: 1, steps: names.map((name) => ({ name })) }) });

describe("the deltas of an attempt whose record names one", () => {
  it("hold with its own, and what lies in its steps is looked at too", async () => {
    await write({ ".": { ...trace, ...delta } });
    expect([...(await deltaBlobs(job, attempt))]).toEqual([sha256(".")]);
    await write({ "steps/x": delta });
    expect([...(await deltaBlobs(job, attempt))].toSorted()).toEqual([sha256("."), sha256("steps/x")].toSorted());
  });

  it("do not hold without its own, whatever lies in folders of steps, where nothing tells of steps", async () => {
    await write({ ".": trace, "steps/x": { ...trace, ...delta } });
    await expect(deltaBlobs(job, attempt)).rejects.toThrow(`${attempt}/delta.json is missing`);
  });

  it("hold with the last step's that was begun, which is the one in its record", async () => {
    await write({ ".": { ...trace, ...told("one", "two", "three") }, "steps/two": { ...trace, ...delta }, "steps/three": {} });
    expect([...(await deltaBlobs(job, attempt))]).toEqual([sha256("steps/two")]);
  });

  it("do not hold without the last step's, whatever the others left", async () => {
    await write({ ".": { ...trace, ...delta, ...told("one", "two", "three") }, "steps/two": { ...trace, ...delta }, "steps/three": trace });
    await expect(deltaBlobs(job, attempt)).rejects.toThrow(`${attempt}/steps/three/delta.json is missing`);
  });

  it("hold with its own where only the first step was begun", async () => {
    await write({ ".": { ...trace, ...delta, ...told("one", "two") } });
    expect([...(await deltaBlobs(job, attempt))]).toEqual([sha256(".")]);
  });
});
