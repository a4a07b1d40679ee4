import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import Docker from "dockerode";
import fc from "fast-check";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../evals/bench/bench.ts";
import type { BenchRequest } from "../../../evals/bench/bench-request.ts";
import { createAdmission } from "../../../evals/bench/schedule/admission.ts";
import { guardOf } from "../../../evals/trial/sandbox/guard.ts";
import { guarded } from "../../../evals/trial/sandbox/bounds.ts";
import type { TrialRecord } from "../../../evals/trial/trial-record.ts";
import type { Capacity, SandboxProvider } from "../../../harness/sandbox/provider.ts";
import type { Task } from "../../../tasks/task.ts";
import { needs, sampled } from "../../needs.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch } from "../bench-fixture.ts";
import { stepsTask } from "../steps-task.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 });

const mib = 1024 ** 2;
const gib = 1024 ** 3;
/** What a guard reads of a provider. */
const machine = (capacity: Partial<Capacity>) =>
  ({ kind: "docker", capacity: async () => ({ cpus: 4, memoryBytes: 16 * gib, local: true, ...capacity }) }) as unknown as SandboxProvider;

/** So many trials of a task are let run at a time. */
function together(task: Task, memoryBytes: number): number {
  const admission = createAdmission();
  let trials = 0;
  for (; admission.ask(task, { cpus: 64, memoryBytes }).type === "start"; trials += 1) admission.take(task);
  return trials;
}

describe("the guard of a hardened job", () => {
  it("leaves the machine its rest, whatever as many trials as there are slots do, and their successors that are made ahead", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 512 }),
        fc.integer({ min: 1, max: 64 }),
        fc.integer({ min: 4096, max: 4e6 }),
        async (gb, jobs, pids) => {
          const guard = await guardOf(machine({ memoryBytes: gb * gib, pids }), jobs);
          const together = 2 * jobs * guard.memoryMb * mib;
          if (guard.memoryMb > 256) expect(together).toBeLessThanOrEqual(0.9 * gb * gib);
          expect(guard.pids).toBeLessThanOrEqual(4096);
          if (guard.pids > 64) expect(2 * jobs * guard.pids).toBeLessThanOrEqual(pids / 2);
          expect(guard.storageMb).toBeLessThanOrEqual(10_240);
        },
      ),
    );
  });

  it("follows the smallest of several machines, which gets its part of the trials", async () => {
    const machines = [
      { cpus: 2, memoryBytes: 4 * gib },
      { cpus: 6, memoryBytes: 64 * gib },
    ];
    const { memoryMb } = await guardOf(machine({ memoryBytes: 68 * gib, local: false, machines }), 8);
    expect(memoryMb).toBe(Math.floor((0.9 * 4 * 1024) / (2 * 2)));
  });

  it("leaves half of the disk that was free, as long as a trial has enough to do anything at all", async () => {
    const onDisk = machine({ folder: tmpdir() });
    const { bavail, bsize } = await statfs(tmpdir());
    const free = bavail * bsize;
    const jobs = Math.ceil(free / (1000 * mib)); // so that a share lies between the least and the most, however large the disk
    const { storageMb } = await guardOf(onDisk, jobs);
    expect(storageMb).toBeGreaterThan(64);
    expect(2 * jobs * storageMb * mib).toBeLessThanOrEqual(0.5 * free * 1.05); // others may free some meanwhile
    expect((await guardOf(onDisk, 1e6)).storageMb).toBe(64);
  });

  it("holds for the environment of every step's own verifier", async () => {
    const task = await fixtureTask();
    const own = { ...task.verifier, environment: { ...task.environment, bundledTests: false } };
    const step = { name: "one", instruction: "", agent: task.agent, artifacts: [], setup: false };
    const guard = await guardOf(machine({}), 2);
    const steps = [
      { ...step, verifier: own },
      { ...step, verifier: task.verifier },
    ];
    const held = guarded({ ...task, steps }, { mode: "hardened", sandbox: "docker", guard });
    expect(held.steps?.map(({ verifier }) => verifier.environment?.guard)).toEqual([guard, undefined]);
  });

  it("is what was asked for, where somebody asked", async () => {
    expect(await guardOf(machine({}), 2, { memoryMb: 100, storageMb: 200, pids: 300 })).toEqual({
      memoryMb: 100,
      storageMb: 200,
      pids: 300,
    });
  });

  it("counts as promised memory, so that where little is there fewer trials run together", async () => {
    const guard = await guardOf(machine({ memoryBytes: 2 * gib }), 8);
    const task = guarded(await fixtureTask(), { mode: "hardened", sandbox: "docker", guard });
    expect(together(task, 2 * gib)).toBe(7);
  });

  it("counts services twice of a task in steps, which go on while a step is verified beside others of them", async () => {
    const compose = "services:\n  main: {}\n  store:\n    image: debian:bookworm\n";
    const files = { "environment/docker-compose.yaml": compose };
    const task = await stepsTask({ one: { solve: "true", check: "true" }, two: { solve: "true", check: "true" } }, { files });
    const held = guarded(task, { mode: "hardened", sandbox: "docker", guard: { memoryMb: 100, storageMb: 100, pids: 100 } });
    const { steps: _, ...atOnce } = held;
    expect([together(atOnce, 2 * gib), together(held, 2 * gib)]).toEqual([9, 4]);
  });

  it("changes nothing in official mode, nor where there is no container", async () => {
    const task = await fixtureTask();
    for (const of of [
      { mode: "official", sandbox: "docker" },
      { mode: "hardened", sandbox: "bubblewrap" },
    ] as const) {
      expect(guarded(task, { ...of, guard: { memoryMb: 1, storageMb: 1, pids: 1 } })).toBe(task);
    }
  });
});

describe.skipIf(needs("docker"))("a container of a task that states no limit", () => {
  async function recordOf(change: Partial<BenchRequest>, solve: string, hardened = true): Promise<TrialRecord> {
    const records: TrialRecord[] = [];
    const request = await fixtureRequest([await fixtureTask({ solve, hardened })], { sandbox: "docker", jobs: 1, ...change });
    await bench(request, await benchPorts(), { onEvent: (event) => void (event.type === "trial.end" && records.push(event.record)) });
    const [record] = records;
    if (!record) throw new Error("one trial has one record");
    return record;
  }
  const bounds = { memoryMb: 96, storageMb: 20, pids: 50 };

  it("is held to the bounds of hardened mode, and what reached one is told beside a score", async () => {
    const solve = "python3 -c 'x = bytearray(300_000_000)'; for i in $(seq 80); do sleep 3 & done; echo done > out.txt\n";
    const record = await recordOf({ bounds }, solve);
    expect(record).toMatchObject({
      attempt: 1,
      bounds: { memoryMb: { value: 96, from: "bench" }, storageMb: { value: 20, from: "bench" }, pids: { value: 50, from: "bench" } },
    });
    expect(["agent", "passed"]).toContain(record.class);
    expect(record.evidence).toContainEqual(expect.objectContaining({ kind: "cgroup", oomKills: 1, limitBytes: 96 * mib }));
    expect(record.evidence?.find(({ pidsRefused }) => pidsRefused !== undefined)).toBeDefined();
  });

  const fills = ["head -c 40000000 /dev/zero > /var/tmp/big", "fallocate -l 500M /var/tmp/big"];
  it.each(sampled(fills, fills.slice(0, 1)))("ends what it runs when it fills the disk: %s", async (fill) => {
    const record = await recordOf({ bounds }, `${fill}; sleep 20; echo done > out.txt\n`);
    expect(record).toMatchObject({ class: "agent", score: 0, attempt: 1 });
    expect(record.evidence).toContainEqual(expect.objectContaining({ kind: "storage", limitBytes: 20 * mib }));
  });

  it("has a share of this machine where nobody asked for anything, and in official mode what its task says: nothing", async () => {
    const { MemTotal } = (await new Docker().info()) as { MemTotal: number }; // `any` in its types
    const hardened = await recordOf({}, "echo done > out.txt\n");
    expect(hardened).toMatchObject({
      class: "passed",
      bounds: { memoryMb: { value: Math.floor((0.9 * MemTotal) / 2 / mib), from: "bench" } },
    });
    expect(hardened.bounds?.storageMb?.from).toBe("bench");
    const official = await recordOf({ bounds }, "python3 -c 'x = bytearray(300_000_000)' && echo done > out.txt\n", false);
    expect(official).toMatchObject({ class: "passed", bounds: null });
  });
});
