import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openTrial } from "../../../evals/reopen/open-trial.ts";
import { inTrialSandbox } from "../../../evals/reopen/trial-sandbox.ts";
import { bench } from "../../../evals/bench/bench.ts";
import type { BenchRequest } from "../../../evals/bench/bench-request.ts";
import { regradeJob } from "../../../evals/regrade/regrade-job.ts";
import { withinMachine } from "../../../evals/trial/sandbox/within-machine.ts";
import type { Capacity, CreateOptions } from "../../../harness/sandbox/provider.ts";
import type { SandboxKind } from "../../../harness/sandbox/sandbox.ts";
import type { Task } from "../../../tasks/task.ts";
import { asContainers } from "../as-containers.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch } from "../bench-fixture.ts";

afterAll(removeScratch);

const { signal } = new AbortController();
const bounds = { memoryMb: 96, storageMb: 123, pids: 50 };
const held = { memoryMb: 96, storageMb: 123, pids: 50, services: bounds };

const jobs = new Map<string, ReturnType<typeof record>>();
/** A job of one trial, the same for each who asks for one like it. */
function recorded(change: Partial<BenchRequest>): ReturnType<typeof record> {
  const key = JSON.stringify(change);
  const made = jobs.get(key) ?? record(change);
  jobs.set(key, made);
  return made;
}
async function record(change: Partial<BenchRequest>) {
  const task = await fixtureTask();
  const { folder } = await bench(await fixtureRequest([task], change), await benchPorts());
  return { task, folder };
}

/** A job of one trial, and what the containers of later looks at it were asked to be. */
async function jobOf(change: Partial<BenchRequest>) {
  const { task, folder } = await recorded(change);
  const wishes: CreateOptions[] = [];
  const ports = asContainers(await benchPorts(), (wish) => wishes.push(wish));
  return { task, folder, wishes, ports };
}
async function carriedOutAgain(
  change: Partial<BenchRequest>,
  o: { capacity?: Capacity; warn?: (sentence: string) => void } = {},
): Promise<CreateOptions[]> {
  const { task, folder, wishes, ports: made } = await jobOf(change);
  const { capacity } = o;
  const ports = capacity
    ? { ...made, provider: (kind: SandboxKind) => ({ ...made.provider(kind), capacity: async () => capacity }) }
    : made;
  const trial = await openTrial(join(folder, "trials", task.name, "plain/1"));
  const say = (): void => undefined;
  await inTrialSandbox(trial, { task: task.folder, sandbox: "docker", ports, signal, say, warn: o.warn ?? say }, async () => undefined);
  return wishes;
}

describe("a trial's container, made again for its recorded calls", () => {
  it("is held to what its job was asked for", async () => {
    expect(await carriedOutAgain({ asked: { bounds } })).toEqual([expect.objectContaining(held)]);
  });

  it("is held to the machine's share where nobody asked, and to nothing in official mode", async () => {
    const [hardened] = await carriedOutAgain({});
    const most = { memoryMb: expect.any(Number) as number, storageMb: expect.any(Number) as number, pids: expect.any(Number) as number };
    expect(hardened).toMatchObject({ ...most, services: most });
    const [official] = await carriedOutAgain({ mode: "official", asked: { bounds } });
    expect(official).not.toHaveProperty("pids");
    expect(official).not.toHaveProperty("memoryMb");
  });
});

describe("what a larger machine gave a trial", () => {
  const capacity: Capacity = { cpus: 2, memoryBytes: 1000 * 1024 ** 2, pids: 4000, local: false };

  it("is cut to what this one has where the trial's container is made again, and that is said in one sentence", async () => {
    const said: string[] = [];
    const asked = { memoryMb: 64_000, storageMb: 123, pids: 5000 };
    const wishes = await carriedOutAgain({ asked: { bounds: asked } }, { capacity, warn: (sentence) => said.push(sentence) });
    const least = { memoryMb: 900, storageMb: 123, pids: 4000 };
    expect(wishes).toEqual([expect.objectContaining({ ...least, services: least })]);
    expect(said).toEqual([
      "This machine is smaller than what the trial's containers may take, so they get less: 900 in place of 64000 MiB of memory, 4000 in place of 5000 processes; results may differ for that reason alone.",
    ]);
  });

  it("stays where this one has as much, and nothing is said", async () => {
    const said: string[] = [];
    const wishes = await carriedOutAgain({ asked: { bounds } }, { capacity, warn: (sentence) => said.push(sentence) });
    expect([wishes, said]).toEqual([[expect.objectContaining(held)], []]);
  });

  it("is cut for every container that the task asks for itself, the verifier's and each service's, by the smallest of several machines", async () => {
    const task = await fixtureTask();
    const services = [
      { name: "main", cpus: 1 },
      { name: "db", cpus: 16, memoryMb: 8000 },
    ];
    const large = {
      ...task,
      environment: { ...task.environment, cpus: 32, memoryMb: 4096, compose: { main: "main", services } },
      verifier: { ...task.verifier, environment: { ...task.environment, cpus: 3, memoryMb: 100, bundledTests: false } },
    } as unknown as Task; // what bounds are read from
    const machines = [capacity, { cpus: 8, memoryBytes: 2 ** 36 }];
    const cut = withinMachine(large, { ...capacity, cpus: 10, memoryBytes: 2 ** 37, machines });
    expect(cut.task.environment).toMatchObject({ cpus: 2, memoryMb: 900 });
    expect(cut.task.environment.compose?.services).toMatchObject([{ cpus: 1 }, { cpus: 2, memoryMb: 900 }]);
    expect(cut.task.verifier.environment).toMatchObject({ cpus: 2, memoryMb: 100 });
    expect(cut.why).toContain("2 in place of 32 processors, 900 in place of 8000 MiB of memory");
    expect(withinMachine(task, capacity)).toEqual({ task });
    expect(withinMachine(large, undefined)).toEqual({ task: large });
  });
});

describe("a verification without the agent", () => {
  it("is held to what the job was asked for", async () => {
    const { task, folder, wishes, ports } = await jobOf({ asked: { bounds } });
    await regradeJob({ job: folder, tasks: [task], sandbox: "docker" }, ports, { signal });
    expect(wishes.length).toBeGreaterThan(0);
    for (const wish of wishes) expect(wish).toMatchObject(held);
  });

  it("of a job that may be anyone's is held to that only where it is tighter than the machine's share", async () => {
    const { task, folder, wishes, ports } = await jobOf({ asked: { bounds: { memoryMb: 64, storageMb: 1e9, pids: 1e9 } } });
    await regradeJob({ job: folder, tasks: [task], sandbox: "docker", isForeign: true }, ports, { signal });
    expect(wishes[0]?.memoryMb).toBe(64);
    expect(wishes[0]?.storageMb).toBeLessThanOrEqual(10_240);
    expect(wishes[0]?.pids).toBeLessThanOrEqual(4096);
  });

  it("refuses bounds that would be none", async () => {
    const { task, folder, ports } = await jobOf({ asked: { bounds } });
    const path = join(folder, "config.json");
    await writeFile(path, (await readFile(path, "utf8")).replace('"pids": 50', '"pids": -1'));
    const again = regradeJob({ job: folder, tasks: [task], sandbox: "docker" }, ports, { signal });
    await expect(again).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringContaining("config.json is not the request of a job"),
    });
  });
});
