import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openCellStore } from "../../scripts/parity/cell-store.ts";
import { findTasks } from "../../scripts/parity/find-tasks.ts";
import { stageTask, withNetwork } from "../../scripts/parity/stage-task.ts";
import { dockerfileOf, standIn } from "../../scripts/parity/stand-in.ts";

const folders: string[] = [];
const temporary = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "forge-parity-test-"));
  folders.push(folder);
  return folder;
};
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

async function writeTask(folder: string): Promise<string> {
  for (const sub of ["environment", "solution", "tests"]) await mkdir(join(folder, sub), { recursive: true });
  await writeFile(join(folder, "task.toml"), "[environment]\nallow_internet = false\n");
  await writeFile(join(folder, "environment", "Dockerfile"), "FROM ubuntu:24.04\n");
  await writeFile(join(folder, "solution", "solve.sh"), "#!/bin/bash\ntrue\n");
  return folder;
}

describe("what both runners get", () => {
  it("is the task with another solution, another base image and, where asked for, a network", async () => {
    const task = await writeTask(join(await temporary(), "one"));
    const state = { name: "all-but-last", agent: "oracle", script: "#!/bin/bash\nfalse\n" } as const;
    const staged = await stageTask(task, state, { dockerfile: "FROM other\n", withNetwork: true }, join(await temporary(), "x"));
    const read = async (path: string): Promise<string> => readFile(join(staged, path), "utf8");
    expect(await read("environment/Dockerfile")).toBe("FROM other\n");
    expect(await read("task.toml")).toBe("[environment]\nallow_internet = true\n");
    expect(await read("solution/solve.sh")).toBe(state.script);
    expect(await read("solution/solve-whole.sh")).toBe("#!/bin/bash\ntrue\n");
    expect(await readFile(join(task, "task.toml"), "utf8")).toContain("false");
  });

  it("keeps a network mode that is not no-network", () => {
    expect(withNetwork("network_mode = 'no-network'\n")).toBe('network_mode = "public"\n');
    expect(withNetwork('network_mode = "allowlist"\n')).toBe('network_mode = "allowlist"\n');
  });

  it("starts from an image that is here, from one that stands in, or is left out", () => {
    const none = (): boolean => false;
    expect(standIn("FROM python:3.12-slim AS a\nFROM a\n", none)).toMatchObject({
      dockerfile: "FROM forge-parity/python:bookworm AS a\nFROM a\n",
      needs: ["forge-parity/python:bookworm"],
      missing: [],
    });
    expect(standIn("FROM docker.io/library/debian@sha256:00\n", none).dockerfile).toBe("FROM forge-base/debian:bookworm\n");
    expect(dockerfileOf("forge-parity/python:bookworm", false)).toMatch(/^FROM forge-base\/debian:bookworm\nRUN .*python3-pip/);
    expect(dockerfileOf("forge-parity/python:bookworm", true)).toContain("COPY ca.pem");
    expect(dockerfileOf("forge-base/debian:bookworm", true)).toBeUndefined();
    expect(standIn("FROM golang:1.22\n", none).missing).toEqual(["golang:1.22"]);
    expect(standIn("FROM golang:1.22\n", () => true)).toMatchObject({ dockerfile: "FROM golang:1.22\n", missing: [] });
  });
});

describe("tasks below a folder", () => {
  it("are those with a solution, named by their folder, or by their path where two share it", async () => {
    const root = await temporary();
    await writeTask(join(root, "a", "same"));
    await writeTask(join(root, "b", "same"));
    await writeTask(join(root, "b", "own"));
    await rm(join(await writeTask(join(root, "b", "unsolved")), "solution", "solve.sh"));
    const ids = (await findTasks([root])).map(({ id }) => id);
    const base = root.split("/").at(-1) ?? "";
    expect(ids).toEqual([`${base}.a.same`, `${base}.b.same`, "own"]);
  });
});

describe("finished cells", () => {
  it("are known to the next run, those that were not run are not, and half a line at the end does no harm", async () => {
    const file = join(await temporary(), "cells.jsonl");
    const first = await openCellStore(file);
    await first.put("a", { type: "judged", rewards: { reward: 1 } });
    await first.put("b", { type: "judged", rewards: null, note: "empty" });
    await first.put("c", { type: "not-run", why: "no daemon" });
    await writeFile(file, `${await readFile(file, "utf8")}{"key":"d","res`);
    const second = await openCellStore(file);
    expect(["a", "b", "c", "d"].map((key) => second.get(key))).toEqual([
      { type: "judged", rewards: { reward: 1 } },
      { type: "judged", rewards: null, note: "empty" },
      undefined,
      undefined,
    ]);
  });
});
