import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import type { ChildProcess } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import Docker from "dockerode";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../needs.ts";
import { built, cleanUp, emptyFolder, forge, jsonLines, type Answer } from "./forge.ts";

const withoutDocker = needs("docker");
beforeAll(async () => {
  if (!withoutDocker) await built();
}, 180_000);
afterAll(cleanUp);

/** Two tasks whose solution takes `seconds`. */
function suite(seconds: number): string {
  const task = {
    "task.toml":
      'version = "1.0"\n[metadata]\ndifficulty = "easy"\n[metadata.forge]\nfamily = "e2e"\nsplit = "train"\nlocal = true\n[environment]\nallow_internet = false\n',
    "instruction.md": "Write done to out.txt.\n",
    "environment/Dockerfile": "FROM forge-base/debian:bookworm\nWORKDIR /app\n",
    "solution/solve.sh": `sleep ${seconds}; echo done > out.txt\n`,
    "tests/test.sh": "grep -q done /app/out.txt && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt\n",
  };
  const files = ["one", "two"].flatMap((name) => Object.entries(task).map(([path, text]) => [`tasks/${name}/${path}`, text]));
  return emptyFolder(Object.fromEntries(files) as Record<string, string>);
}

/** Containers that this process made. */
async function containersOf(pid: number): Promise<number> {
  const all = await new Docker().listContainers({ all: true, filters: { label: ["forge.owner"] } });
  return all.filter(({ Labels: labels }) => labels["forge.owner"]?.startsWith(`${pid}-`)).length;
}

/** Processes of reapers that watch over this one. */
function reapersOf(pid: number): number[] {
  const all = readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return new RegExp(`reap\\.js\\x00${pid}-`).test(readFileSync(`/proc/${name}/cmdline`, "latin1"));
    } catch {
      return false;
    }
  });
  return all.map(Number);
}

/** The reaper of a process that ended without a word has removed its container. That it looks again for what comes late, and ends, is in reap-left.test.ts. */
async function reaped(pid: number): Promise<void> {
  const reapers = reapersOf(pid);
  expect(reapers).toHaveLength(1);
  while ((await containersOf(pid)) > 0) await wait(50);
  for (const reaper of reapers) process.kill(reaper, "SIGKILL");
}

/** Benches the suite and, once a trial's container runs, does something to the process. */
async function interrupted(folder: string, act: (child: ChildProcess, pid: number) => Promise<void>): Promise<Answer & { pid: number }> {
  let pid = 0;
  let acted: Promise<void> = Promise.resolve();
  const answer = await forge(["bench", "tasks", "--agent", "oracle", "--sandbox", "docker", "--jobs", "1", "--out", "job", "--json"], {
    cwd: folder,
    started(child) {
      pid = child.pid ?? 0;
      acted = once(child, "spawn").then(async () => {
        while ((await containersOf(pid)) === 0 && child.exitCode === null) await wait(50);
        await act(child, pid);
      });
    },
  });
  await acted;
  return { ...answer, pid };
}

describe.skipIf(withoutDocker)("Ctrl-C in a bench", { timeout: 180_000 }, () => {
  it("once lets the running trial finish, starts no other, and says so", async () => {
    const { code, stdout, pid } = await interrupted(suite(1), async (child) => void child.kill("SIGINT"));
    expect([code, await containersOf(pid)]).toEqual([130, 0]);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ type: "job.end", result: { status: "stopped", recorded: 1, unscored: 0 } });
    while (reapersOf(pid).length > 0) await wait(50); // it was released
  });

  it("twice ends it at once", async () => {
    // Signals of one kind that come before the first was taken are one.
    const { code, stdout, pid } = await interrupted(suite(3_600), async (child) => {
      let said = "";
      child.stdout?.on("data", (piece: Buffer) => (said += piece.toString()));
      child.kill("SIGINT");
      while (!said.includes('"job.stop"') && child.exitCode === null) await wait(20);
      child.kill("SIGINT");
    });
    expect([code, await containersOf(pid)]).toEqual([130, 0]);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ result: { status: "cancelled", recorded: 0 } });
  });

  it("three times is out without a word, and the reaper removes the container", async () => {
    const { code, stdout, pid } = await interrupted(suite(60), async (child) => {
      for (; child.exitCode === null && child.signalCode === null; await wait(20)) child.kill("SIGINT");
    });
    expect(code).toBe(130);
    expect(jsonLines(stdout).at(-1)).not.toMatchObject({ type: "job.end" });
    await reaped(pid);
  });
});

describe.skipIf(withoutDocker)("a bench that is killed with SIGKILL", { timeout: 180_000 }, () => {
  it("is cleaned up after by its reaper", async () => {
    const { code, pid } = await interrupted(suite(60), async (child, own) => {
      expect(reapersOf(own)).toHaveLength(1);
      child.kill("SIGKILL");
    });
    expect(code).toBeNull();
    await reaped(pid);
  });
});
