import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../../evals/bench/bench.ts";
import type { BenchRequest } from "../../../../evals/bench/bench-request.ts";
import { carriedBytes } from "../../../../evals/trial/sandbox/bounds.ts";
import type { TrialRecord } from "../../../../evals/trial/trial-record.ts";
import { needs } from "../../../needs.ts";
import { asContainers } from "../../as-containers.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch, scratch, type FixtureTask } from "../../bench-fixture.ts";
import { onSmallDisk } from "../../on-small-disk.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 });

const mib = 1024 ** 2;

/** Of a trial in Docker, or in a private copy that is held to a container's bounds where the container is not the matter. */
async function recordOf(task: FixtureTask, { real = false, ...change }: Partial<BenchRequest> & { real?: boolean }): Promise<TrialRecord> {
  const records: TrialRecord[] = [];
  const request = await fixtureRequest([await fixtureTask(task)], { jobs: 1, sandbox: "docker", bounds: { storageMb: 8 }, ...change });
  const ports = await benchPorts();
  await bench(request, real ? ports : asContainers(ports, () => undefined), {
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
    const record = await onDiskOf("32m", { solve: sparse("64M") });
    expect(record).toMatchObject({ class: "agent", score: 0, attempt: 1, error: refused });
    expect(record.evidence).toContainEqual(expect.objectContaining({ kind: "verifier", says: refused }));
  });

  it.skipIf(needs("docker"))("counts in full against twice the container's storage bound, which its blocks do not reach", async () => {
    const over = await recordOf({ solve: sparse("20M") }, { real: true });
    expect(over).toMatchObject({ class: "agent", score: 0, attempt: 1, error: refused });
    expect(await recordOf({ solve: sparse("12M") }, { real: true })).toMatchObject({ class: "passed" });
  });

  it("changes no verdict in official mode: what was left is not kept, and the record says so", async () => {
    const record = await recordOf({ solve: sparse("250M") }, { mode: "official" });
    expect(record).toMatchObject({ class: "passed", score: 1, attempt: 1, delta: { kept: false, why: refused } });
  });

  it.skipIf(needs("mount"))("of a size that is allowed, on a disk that has no room for it, is the machine's trouble", async () => {
    const record = await onDiskOf("32m", { solve: sparse("48M"), limits: "storage_mb = 100" });
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

  it("adds to what the environment has there itself", async () => {
    expect(await recordOf({ dockerfile: "RUN truncate -s 20M model.bin\n" }, {})).toMatchObject({ class: "passed" });
  });
});
