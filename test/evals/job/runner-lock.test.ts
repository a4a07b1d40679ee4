import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockRunner } from "../../../evals/job/runner-lock.ts";
import { thisOwner } from "../../../harness/sandbox/owner.ts";

const clock = { now: () => Date.now(), sleep: (_ms: number, signal?: AbortSignal) => wait(5, undefined, signal ? { signal } : {}) };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "forge-lock-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the lock of a job's runner", () => {
  it("is held by one at a time, of many that ask at once", async () => {
    let holders = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const lock = await lockRunner(folder, { clock });
        most = Math.max(most, (holders += 1));
        await wait(3);
        holders -= 1;
        await lock.release();
      }),
    );
    expect(most).toBe(1);
    expect((await readdir(folder)).length).toBeLessThanOrEqual(2);
  });

  it("of a process that has ended is taken over", async () => {
    const child = spawn(process.execPath, ["-e", ""]);
    await once(child, "exit");
    await writeFile(join(folder, "runner.7.json"), JSON.stringify({ ...thisOwner(), process: `${child.pid}-1`, released: false }));
    await (await lockRunner(folder, { clock })).release();
    expect(await readdir(folder)).toContain("runner.8.json");
  });

  it("of a process whose number another process has now is taken over", async () => {
    await writeFile(join(folder, "runner.1.json"), JSON.stringify({ ...thisOwner(), process: `${process.pid}-1`, released: false }));
    await (await lockRunner(folder, { clock })).release();
    expect(await readdir(folder)).toContain("runner.2.json");
  });

  it("of a living process is waited for, said once, until the wait is aborted", async () => {
    const lock = await lockRunner(folder, { clock });
    const heard: number[] = [];
    const signal = AbortSignal.timeout(60);
    await expect(lockRunner(folder, { clock, signal, onWait: (pid) => heard.push(pid) })).rejects.toThrow(/abort/i);
    expect(heard).toEqual([process.pid]);
    await lock.release();
  });

  it("of another machine is an error that says what to do", async () => {
    await writeFile(join(folder, "runner.1.json"), JSON.stringify({ process: "1-1", place: "elsewhere/boot/pid:[1]", released: false }));
    await expect(lockRunner(folder, { clock })).rejects.toThrow(/another machine or container.*remove runner/);
  });

  it("in a file that a crash left broken belongs to nobody", async () => {
    await writeFile(join(folder, "runner.1.json"), '{"pro');
    await (await lockRunner(folder, { clock })).release();
    expect(await readdir(folder)).toContain("runner.2.json");
  });
});
