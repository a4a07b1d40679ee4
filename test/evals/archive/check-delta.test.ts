import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { deltaBlobs } from "../../../evals/archive/check/check-delta.ts";
import { exportJob } from "../../../evals/archive/export-job.ts";
import { bench } from "../../../evals/bench/bench.ts";
import { blobPath, blobsFolder } from "../../../evals/trial/keep/store-delta.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { writeFiles } from "../../tasks/write-task.ts";
import { benchPorts, checkOut, fixtureRequest, removeScratch, scratch } from "../bench-fixture.ts";
import { failing, forge, openArchive, signal, verify } from "./archive-fixture.ts";

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

it("a task of several steps keeps its last one's delta, and an archive of it holds", async () => {
  const step = (name: string): Record<string, string> => ({
    [`steps/${name}/instruction.md`]: "Do it.\n",
    [`steps/${name}/solution/solve.sh`]: `echo ${name} > ${name}\n`,
    [`steps/${name}/tests/test.sh`]: `#!/bin/bash\n${checkOut.replace("out.txt", name).replace("= done", `= ${name}`)}\n`,
  });
  const folder = await writeFiles(join(await scratch(), "by-steps"), {
    "task.toml": '[[steps]]\nname = "one"\n[[steps]]\nname = "two"\n[metadata.forge]\nlocal = true\n',
    "environment/Dockerfile": "FROM forge-base/debian:bookworm\nWORKDIR /app\n",
    ...step("one"),
    ...step("two"),
  });
  const request = await fixtureRequest([await loadTask(folder, { own: true })], { mode: "official" });
  const made = (await bench(request, await benchPorts())).folder;
  const out = join(await scratch(), "steps.tar.gz");
  await exportJob({ job: made, out, forgeVersion: "0.1.0" }, { signal });
  expect((await openArchive(out)).files.has("trials/by-steps/plain/1/attempt-1/steps/two/delta.json")).toBe(true);
  expect(failing(await verify(out))).toEqual([]);
  const last = /steps\/two\/delta\.json$/;
  const forged = await forge(out, out.replace("steps.", "forged."), (files) => {
    for (const path of files.keys()) if (last.test(path)) files.delete(path);
  });
  expect(failing(await verify(forged))).toContain("deltas");
});

describe("the deltas of an attempt whose record names one", () => {
  it("hold with its own, and what lies in its steps is looked at too", async () => {
    await write({ ".": { ...trace, ...delta } });
    expect([...(await deltaBlobs(job, attempt, { kept: true }))]).toEqual([sha256(".")]);
    await write({ "steps/x": delta });
    expect([...(await deltaBlobs(job, attempt, { kept: true }))].toSorted()).toEqual([sha256("."), sha256("steps/x")].toSorted());
  });

  it("do not hold without its own, whatever lies in folders of steps, where nothing tells of steps", async () => {
    await write({ ".": trace, "steps/x": { ...trace, ...delta } });
    await expect(deltaBlobs(job, attempt, { kept: true })).rejects.toThrow(`${attempt}/delta.json is missing`);
  });

  it("hold with the last step's that was begun, which is the one in its record", async () => {
    await write({ ".": { ...trace, ...told("one", "two", "three") }, "steps/two": { ...trace, ...delta }, "steps/three": {} });
    expect([...(await deltaBlobs(job, attempt, { kept: true }))]).toEqual([sha256("steps/two")]);
  });

  it("do not hold without the last step's, whatever the others left", async () => {
    await write({ ".": { ...trace, ...delta, ...told("one", "two", "three") }, "steps/two": { ...trace, ...delta }, "steps/three": trace });
    await expect(deltaBlobs(job, attempt, { kept: true })).rejects.toThrow(`${attempt}/steps/three/delta.json is missing`);
  });

  it("hold with all that its steps.json tells of, also where the last one was not kept, and in no place that it makes up", async () => {
    const steps = (name: string) => [
      { name: "one", delta: { kept: true } },
      { name, delta: { kept: true } },
      { name: "three", delta: { kept: false } },
    ];
    const text = (name: string) => ({ "steps.json": JSON.stringify({ v: 1, steps: steps(name) }) });
    await write({ ".": { ...trace, ...delta, ...text("two") }, "steps/two": { ...trace, ...delta }, "steps/three": trace });
    expect([...(await deltaBlobs(job, attempt, { kept: false }))].toSorted()).toEqual([sha256("."), sha256("steps/two")].toSorted());
    await write({ ".": { ...trace, ...delta, ...text("../..") }, "steps/two": { ...trace, ...delta } });
    await expect(deltaBlobs(job, attempt, { kept: false })).rejects.toThrow("lists as kept of step 2 is missing");
  });

  it("hold with its own where only the first step was begun", async () => {
    await write({ ".": { ...trace, ...delta, ...told("one", "two") } });
    expect([...(await deltaBlobs(job, attempt, { kept: true }))]).toEqual([sha256(".")]);
  });
});
