import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, describe, expect, it } from "vitest";
import { openCellStore } from "../../../scripts/parity/cell-store.ts";
import { terminalBenchStates } from "../../../scripts/parity/end-states.ts";
import { findTasks } from "../../../scripts/parity/find-tasks.ts";
import { stageTask, withNetwork, withPatience } from "../../../scripts/parity/stage-task.ts";
import { trialIn } from "../../../scripts/parity/sweep-runners.ts";
import { dockerfileOf, standIn, standInsOf } from "../../../scripts/parity/stand-in.ts";

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
    const staging = { dockerfiles: new Map([["environment/Dockerfile", "FROM other\n"]]), withNetwork: true, patience: 1 };
    const staged = await stageTask(
      { folder: task, format: "harbor", solution: "solution/solve.sh" },
      state,
      staging,
      join(await temporary(), "x"),
    );
    const read = async (path: string): Promise<string> => readFile(join(staged, path), "utf8");
    expect(await read("environment/Dockerfile")).toBe("FROM other\n");
    expect(await read("task.toml")).toBe("[environment]\nallow_internet = true\n");
    expect(await read("solution/solve.sh")).toBe(state.script);
    expect(await read("solution/solve-whole.sh")).toBe("#!/bin/bash\ntrue\n");
    expect(await readFile(join(task, "task.toml"), "utf8")).toContain("false");
  });

  it("of Terminal-Bench 1 is the task with another solution, whole in itself: its runner brings no second file", async () => {
    const task = join(await temporary(), "one");
    await mkdir(join(task, "server"), { recursive: true });
    for (const file of ["Dockerfile", "server/Dockerfile"])
      await writeFile(join(task, file), "FROM ghcr.io/laude-institute/t-bench/ubuntu-24-04:1\n");
    for (const file of ["docker-compose.yaml", "run-tests.sh", "solution.sh", "task.yaml"])
      await writeFile(join(task, file), "echo one > out\n");
    const [found] = await findTasks([task]);
    expect(found).toMatchObject({ id: "one", format: "terminal-bench" });
    const { dockerfiles, needs, missing } = await standInsOf(task, () => false);
    expect(needs).toHaveLength(1);
    expect(missing).toEqual([]);
    const emptied = terminalBenchStates("echo one > out\n", [1]).find(({ name }) => name === "emptied");
    if (!found || emptied?.agent !== "oracle") throw new Error("the state is missing");
    const staged = await stageTask(found, emptied, { dockerfiles, withNetwork: false, patience: 1 }, join(await temporary(), "x"));
    expect(await readFile(join(staged, "server", "Dockerfile"), "utf8")).toBe(`FROM ${needs[0]}\n`);
    expect((await readdir(staged)).toSorted()).toEqual((await readdir(task)).toSorted());
    const place = await temporary();
    await execa("bash", [join(staged, "solution.sh")], { cwd: place });
    expect(await readFile(join(place, "out"), "utf8")).toBe("");
  });

  it("has longer time limits where they were asked for, and nothing else is changed", () => {
    expect(withPatience("[agent]\ntimeout_sec = 60.0\ncpus = 2\nbuild_timeout_sec=5\n", 3)).toBe(
      "[agent]\ntimeout_sec = 180.0\ncpus = 2\nbuild_timeout_sec=15.0\n",
    );
    expect(withPatience("max_agent_timeout_sec: 360\nmax_test_timeout_sec: 60.0\nestimated_duration_sec: 5\n", 2)).toBe(
      "max_agent_timeout_sec: 720.0\nmax_test_timeout_sec: 120.0\nestimated_duration_sec: 5\n",
    );
  });

  it("keeps a network mode that is not no-network", () => {
    expect(withNetwork("network_mode = 'no-network'\n")).toBe('network_mode = "public"\n');
    expect(withNetwork('network_mode = "allowlist"\n')).toBe('network_mode = "allowlist"\n');
  });

  it("starts from an image that is here, from one that stands in, or is left out", () => {
    const none = (): boolean => false;
    expect(standIn("FROM python:3.12-slim AS a\nFROM a\n", none)).toMatchObject({
      dockerfile: "FROM forge-parity/python:bookworm-2 AS a\nFROM a\n",
      needs: ["forge-parity/python:bookworm-2"],
      missing: [],
    });
    expect(standIn("FROM docker.io/library/debian@sha256:00\n", none).dockerfile).toBe("FROM forge-base/debian:bookworm\n");
    expect(dockerfileOf("forge-parity/python:bookworm-2", false)).toMatch(/^FROM forge-base\/debian:bookworm\nRUN .*python3-pip/);
    expect(dockerfileOf("forge-parity/python:bookworm-2", true)).toContain("COPY ca.pem");
    expect(dockerfileOf("forge-base/debian:bookworm", true)).toBeUndefined();
    expect(standIn("FROM ubuntu:24.04\n", none).needs).toEqual(["forge-parity/ubuntu:bookworm-2"]);
    expect(dockerfileOf("forge-parity/ubuntu:bookworm-2", false)).toContain("https://astral.sh/uv/");
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
    await writeFile(join(await writeTask(join(root, "b", "unreadable")), "task.toml"), "= 1\n");
    const found = await findTasks([root]);
    const base = root.split("/").at(-1) ?? "";
    expect(found.map(({ id }) => id)).toEqual([`${base}.a.same`, `${base}.b.same`, "own", "unreadable"]);
    expect(found[0]?.solution).toBe("solution/solve.sh");
  });

  it("are those of several steps too: their end states differ in the last step's solution", async () => {
    const task = await writeTask(join(await temporary(), "steps"));
    await writeFile(join(task, "task.toml"), '[[steps]]\nname = "write"\n[[steps]]\nname = "check"\n');
    expect(await findTasks([task])).toEqual([]); // its last step has no solution
    await mkdir(join(task, "steps", "check", "solution"), { recursive: true });
    await writeFile(join(task, "steps", "check", "solution", "solve.sh"), "#!/bin/bash\ntrue\n");
    const [found] = await findTasks([task]);
    if (!found) throw new Error("the task is missing");
    const state = { name: "emptied", agent: "oracle", script: "#!/bin/bash\nfalse\n" } as const;
    const staged = await stageTask(found, state, { dockerfiles: new Map(), withNetwork: false, patience: 1 }, join(await temporary(), "x"));
    expect(await readFile(join(staged, "steps", "check", "solution", "solve.sh"), "utf8")).toBe(state.script);
    expect(await readFile(join(staged, "steps", "check", "solution", "solve-whole.sh"), "utf8")).toBe("#!/bin/bash\ntrue\n");
    expect(await readFile(join(staged, "solution", "solve.sh"), "utf8")).toBe("#!/bin/bash\ntrue\n");
  });
});

describe("what another runner's trial leaves in Docker", () => {
  it("is known by the process in its name, in whatever form a runner writes it", () => {
    for (const name of [
      "/parity-7-ab12__main",
      "parity-7-ab12__x:latest",
      "task-1-of-1-parity-7-ab12",
      "task-1-of-1-parity-7-ab12_default",
    ])
      expect(trialIn(name)).toBe(7);
    for (const name of ["forge-parity-7-ab12", "parity-7", "/somebody"]) expect(trialIn(name)).toBeUndefined();
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
