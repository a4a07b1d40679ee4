import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../../evals/bench/bench.ts";
import type { BenchRequest } from "../../../../evals/bench/bench-request.ts";
import { carriedBytes } from "../../../../evals/trial/sandbox/bounds.ts";
import type { TrialRecord } from "../../../../evals/trial/trial-record.ts";
import { needs } from "../../../needs.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch, scratch, type FixtureTask } from "../../bench-fixture.ts";
import { onSmallDisk } from "../../on-small-disk.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 });

const mib = 1024 ** 2;

async function recordOf(task: FixtureTask, change: Partial<BenchRequest> = {}): Promise<TrialRecord> {
  const records: TrialRecord[] = [];
  const request = await fixtureRequest([await fixtureTask(task)], { jobs: 1, ...change });
  await bench(request, await benchPorts(), {
    retryMs: 1,
    onEvent: (event) => void (event.type === "trial.end" && records.push(event.record)),
  });
  const [record] = records;
  if (!record) throw new Error("one trial has one record");
  return record;
}
const onDiskOf = async (size: string, task: FixtureTask): Promise<TrialRecord> =>
  onSmallDisk(await scratch(), size, (disk) => recordOf(task, { out: join(disk, "job") }));
const sparse = (size: string): string => `echo done > out.txt; truncate -s ${size} big\n`;
const refused = expect.stringMatching(/more than .* bytes; it is refused/);

describe("a file that is all hole", () => {
  it.skipIf(needs("mount"))("is refused before any of it is written to the job's disk: the agent's failure, in one attempt", async () => {
    const record = await onDiskOf("32m", { solve: sparse("1200M") });
    expect(record).toMatchObject({ class: "agent", score: 0, attempt: 1, error: refused });
    expect(record.evidence).toContainEqual(expect.objectContaining({ kind: "verifier", says: refused }));
  });

  it.skipIf(needs("docker"))("counts in full against twice the container's storage bound, which its blocks do not reach", async () => {
    const bounds = { storageMb: 64 };
    const over = await recordOf({ solve: sparse("150M") }, { sandbox: "docker", bounds });
    expect(over).toMatchObject({ class: "agent", score: 0, attempt: 1, error: refused });
    expect(await recordOf({ solve: sparse("100M") }, { sandbox: "docker", bounds })).toMatchObject({ class: "passed" });
  });

  it("changes no verdict in official mode: what was left is not kept, and the record says so", async () => {
    const record = await recordOf({ solve: sparse("1200M") }, { mode: "official" });
    expect(record).toMatchObject({ class: "passed", score: 1, attempt: 1, delta: { kept: false, why: refused } });
  });

  it.skipIf(needs("mount"))("of a size that is allowed, on a disk that has no room for it, is the machine's trouble", async () => {
    const record = await onDiskOf("32m", { solve: sparse("300M") });
    expect(record).toMatchObject({ class: "infra", score: null });
    expect(record.evidence).toContainEqual(expect.objectContaining({ kind: "host", code: "ENOSPC" }));
  });
});

describe("what verification carries", () => {
  it("goes by the task's storage limit, else the bench's, at most 4 GiB; by 1 GiB where no container has one", async () => {
    const { environment } = await fixtureTask();
    const of = (limits: Partial<typeof environment>, sandbox: "docker" | "bubblewrap" = "docker"): number =>
      carriedBytes({ task: { environment: { ...environment, ...limits } }, sandbox }) / mib;
    const guard = { memoryMb: 1, storageMb: 64, pids: 1 };
    expect([of({}), of({ guard }), of({ guard, storageMb: 100 }), of({ storageMb: 10_240 }), of({ storageMb: 100 }, "bubblewrap")]).toEqual(
      [1024, 128, 200, 4096, 1024],
    );
  });

  it.skipIf(needs("docker"))("adds to what the environment has there itself", async () => {
    const dockerfile = "RUN head -c 100000000 /dev/zero > /app/model.bin\n";
    expect(await recordOf({ dockerfile }, { sandbox: "docker", bounds: { storageMb: 40 } })).toMatchObject({ class: "passed" });
  });
});
