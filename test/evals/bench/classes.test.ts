import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Docker from "dockerode";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../evals/bench/bench.ts";
import type { BenchOptions, BenchRequest } from "../../../evals/bench/bench-request.ts";
import type { BenchPorts } from "../../../evals/bench-ports.ts";
import type { JobResult } from "../../../evals/job/results/job-result.ts";
import { trialRecordSchema, type TrialRecord } from "../../../evals/trial/trial-record.ts";
import { InfraError } from "../../../harness/errors.ts";
import { createDockerProvider } from "../../../harness/sandbox/docker/docker-provider.ts";
import { boundedGroup } from "../../../scripts/attacks/bounded-group.ts";
import { needs } from "../../needs.ts";
import { startModelServer } from "../../servers/model-server.ts";
import type { ScriptedReply } from "../../servers/scripted-reply.ts";
import { benchPorts, checkOut, fixtureConfig, fixtureRequest, fixtureTask, removeScratch } from "../bench-fixture.ts";
import { untilLetGo, whileEnding } from "../while-ending.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 });

/** Runs a bench, answers its result, its published records, and the classes of its attempts in order. */
async function measure(
  request: BenchRequest,
  o: BenchOptions & { ports?: BenchPorts } = {},
): Promise<{ result: JobResult; records: TrialRecord[]; retries: string[] }> {
  const records: TrialRecord[] = [];
  const retries: string[] = [];
  const result = await bench(request, o.ports ?? (await benchPorts()), {
    retryMs: 1,
    ...o,
    onEvent(event) {
      if (event.type === "trial.end") records.push(event.record);
      if (event.type === "trial.retry") retries.push(event.class);
      o.onEvent?.(event);
    },
  });
  return { result, records, retries };
}

describe("an environment that does not build", () => {
  it("costs its own trials their score after one attempt each, leaves the others alone, and is tried again when resumed", async () => {
    const broken = await fixtureTask({ name: "broken", dockerfile: "RUN exit 7\n" });
    const request = await fixtureRequest([broken, await fixtureTask({ name: "sound" })], { repeats: 2 });
    const { result, records, retries } = await measure(request);
    expect(result).toMatchObject({ status: "finished", recorded: 4, unscored: 2, invalid: true });
    expect(result.configurations).toMatchObject([{ passed: 2, infraAttempts: 2 }]);
    expect(retries).toEqual(["infra", "infra"]);
    expect(records.find(({ task }) => task === "broken")).toMatchObject({
      class: "infra",
      passed: null,
      imageDigest: null,
      evidence: [{ kind: "build", lasting: true, says: expect.stringContaining("exit code 7") }],
    });
    await writeFile(join(broken.folder, "environment/Dockerfile"), "FROM forge-base/debian:bookworm\nWORKDIR /app\n");
    expect((await measure(request)).result).toMatchObject({ unscored: 0, invalid: false });
  });

  it("for the machinery's reasons is built again for a further attempt", async () => {
    const ports = await benchPorts();
    let builds = 0;
    const provider: BenchPorts["provider"] = (kind) => {
      const real = ports.provider(kind);
      return {
        ...real,
        prepare: (...of) => ((builds += 1) === 1 ? Promise.reject(new InfraError("No network.")) : real.prepare(...of)),
      };
    };
    const { result, retries } = await measure(await fixtureRequest([await fixtureTask()], { repeats: 2 }), {
      ports: { ...ports, provider },
    });
    expect(result).toMatchObject({ unscored: 0, configurations: [{ passed: 2 }] });
    expect(retries).toEqual(["infra", "infra"]);
    // Once for both, or once more: an attempt that asks after the other's build has ended has the image looked for again.
    expect([2, 3]).toContain(builds);
  });

  it("because it needs another sandbox is refused before anything is written", async () => {
    const request = await fixtureRequest([await fixtureTask({ dockerfile: "USER nobody\n" })]);
    await expect(measure(request)).rejects.toThrow(/USER makes the task Docker-only/);
    expect(existsSync(request.out ?? "")).toBe(false);
  });
});

describe("a trial that is to be tried again", () => {
  it("is left for later by a stop, without a result", async () => {
    const ports = await benchPorts();
    const stop = new AbortController();
    const run: BenchPorts["run"] = async () => {
      stop.abort();
      throw new InfraError("The daemon went away.");
    };
    const request = await fixtureRequest([await fixtureTask()]);
    const { result, retries } = await measure(request, { ports: { ...ports, run }, stop: stop.signal });
    expect(result).toMatchObject({ status: "stopped", recorded: 0, configurations: [{ infraAttempts: 1 }] });
    expect(retries).toEqual(["infra"]);
    expect((await measure(request)).result).toMatchObject({ status: "finished", recorded: 1, unscored: 0 });
  });

  it("gets no further attempt where the job is stopped while it waits for one", async () => {
    const ports = await benchPorts();
    const stop = new AbortController();
    let runs = 0;
    const run: BenchPorts["run"] = async () => {
      runs += 1;
      throw new InfraError("The daemon went away.");
    };
    const { result } = await measure(await fixtureRequest([await fixtureTask()]), {
      ports: { ...ports, run },
      stop: stop.signal,
      onEvent: (event) => event.type === "trial.retry" && event.again && stop.abort(),
    });
    expect(result).toMatchObject({ status: "stopped", recorded: 0, configurations: [{ infraAttempts: 1 }] });
    expect(runs).toBe(1);
  });
});

describe("a model's server", () => {
  async function against(always: ScriptedReply): Promise<() => Promise<Awaited<ReturnType<typeof measure>>>> {
    const server = await startModelServer({ always: () => always });
    const model = { name: "openai/scripted", protocol: "native" as const, maxOutputTokens: 100, baseUrl: server.url };
    const request = await fixtureRequest([await fixtureTask()], {
      agent: "configured",
      sandbox: "local-unsafe",
      configurations: [fixtureConfig("plain", { model })],
    });
    return () => measure(request).finally(() => server.close());
  }

  it("without credit stops the job at the first answer, with the cure", async () => {
    const run = await against({ status: 402, body: { error: { message: "credit balance is too low" } } });
    await expect(run()).rejects.toThrow(/402.*credit balance is too low.*Add credit/);
  });

  it("that refuses the key stops the job", async () => {
    await expect((await against({ status: 401, body: { error: { message: "bad key" } } }))()).rejects.toThrow(/401.*bad key.*API key/);
  });

  it("whose model refuses has an outcome that is scored", async () => {
    const { records } = await (await against({ text: "No.", stop: "refusal" }))();
    expect(records).toMatchObject([{ class: "agent", score: 0 }]);
    expect(records[0]?.evidence).toEqual([
      { kind: "run", says: "refused" },
      { kind: "reward", says: "The verifier's score is 0.", score: 0 },
    ]);
  });
});

describe("a daemon that is away", () => {
  it("is waited for, so that no attempt is spent before it is back", async () => {
    const ports = await benchPorts();
    let back = Infinity;
    const away = (): boolean => Date.now() < back;
    const provider: BenchPorts["provider"] = (kind) => {
      const real = ports.provider(kind);
      const prepare: typeof real.prepare = async (...of) => {
        const prepared = await real.prepare(...of);
        const create: typeof prepared.create = (o) => {
          if (back === Infinity) back = Date.now() + 1_000;
          return away() ? Promise.reject(new InfraError("No daemon.")) : prepared.create(o);
        };
        return { ...prepared, create };
      };
      const available = async () => (back !== Infinity && away() ? "No daemon." : real.available());
      return { ...real, prepare, available };
    };
    const request = await fixtureRequest([await fixtureTask()]);
    const { result, retries } = await measure(request, { ports: { ...ports, provider }, retryMs: 100 });
    expect(retries).toEqual(["infra"]);
    expect(result).toMatchObject({ unscored: 0, configurations: [{ passed: 1, infraAttempts: 1 }] });
  });
});

describe.skipIf(needs("docker"))("a container", { concurrent: true }, () => {
  const containersOf = (docker: Docker, task: string) => docker.listContainers({ filters: { label: [`forge.trial=${task}/plain/1/1`] } });

  it("that is killed before its agent begins is told by what the daemon saw", async () => {
    const name = `early-${process.pid}`;
    const ports = await benchPorts();
    let killed = false;
    const provider: BenchPorts["provider"] = (kind) => {
      const real = ports.provider(kind);
      const prepare: typeof real.prepare = async (...of) => {
        const prepared = await real.prepare(...of);
        return {
          ...prepared,
          async create(o) {
            const sandbox = await prepared.create(o);
            const docker = new Docker();
            for (const { Id: id } of killed ? [] : await containersOf(docker, name)) await docker.getContainer(id).kill();
            killed = true;
            return sandbox;
          },
        };
      };
      return { ...real, prepare };
    };
    const task = await fixtureTask({ name, hardened: false });
    const { result, retries } = await measure(await fixtureRequest([task], { sandbox: "docker" }), { ports: { ...ports, provider } });
    expect(retries).toEqual(["infra"]);
    const broken = await readFile(join(result.folder, "trials", name, "plain/1/attempt-1/record.json"), "utf8");
    const { evidence } = trialRecordSchema.parse(JSON.parse(broken));
    expect(evidence?.at(-1)).toMatchObject({ kind: "daemon", event: "kill", says: "The container was ended from outside (kill)." });
  });

  it("that is killed under a run which goes on, and under every verification, is the machinery's fault and never the agent's, and the attempt after them passes", async () => {
    const name = `again-${process.pid}`;
    // The first container is killed in mid-work, the next attempt's verifications under their tests.
    const task = await fixtureTask({
      name,
      solve: `${untilLetGo("agent")}\necho done > out.txt\n`,
      test: `${untilLetGo("tests")}\n${checkOut}`,
    });
    const request = await fixtureRequest([task], { sandbox: "docker" });
    const { measured, ended } = await whileEnding(name, () => measure(request), {
      when: (attempt) => (attempt === 1 ? "agent" : attempt === 2 ? "tests" : undefined),
      end: (container) => container.kill(),
    });
    expect(ended).toHaveLength(3);
    expect(measured.retries).toEqual(["infra", "infra"]);
    expect(measured.records).toMatchObject([{ class: "passed", attempt: 3 }]);
    expect(measured.result).toMatchObject({ unscored: 0, configurations: [{ infraAttempts: 2 }] });
    const broken = await readFile(join(measured.result.folder, "trials", name, "plain/1/attempt-1/record.json"), "utf8");
    const said = trialRecordSchema.parse(JSON.parse(broken)).evidence?.map(({ says }) => says);
    expect(said?.at(-1)).toBe("The container was ended from outside (kill).");
    expect(said?.join("\n")).not.toContain("inside");
  });

  it("whose first process the agent ended is the agent's fault", async () => {
    const task = await fixtureTask({ hardened: false, solve: "kill -TERM 1; sleep 5\n" });
    const { records, retries } = await measure(await fixtureRequest([task], { sandbox: "docker" }));
    expect(retries).toEqual([]);
    expect(records).toMatchObject([{ class: "agent", score: 0 }]);
    expect(records[0]?.evidence?.map(({ kind }) => kind)).toContain("probe");
  });
});

describe.skipIf(needs("cgroups"))("want of memory", { concurrent: true }, () => {
  let machines = 0;
  const hungry = "python3 -c 'x = bytearray(200_000_000)'; echo done > out.txt\n";
  /** A control group above all containers stands for a small machine. */
  async function onMachine(machineMb: number, o: Parameters<typeof fixtureTask>[0], options: BenchOptions = {}) {
    const machine = boundedGroup(`forge-classes-${process.pid}-${(machines += 1)}`, { memoryBytes: machineMb * 1024 ** 2 });
    try {
      const ports = await benchPorts();
      const docker = createDockerProvider({ cgroupParent: machine.parent });
      const provider: BenchPorts["provider"] = (kind) => (kind === "docker" ? docker : ports.provider(kind));
      return await measure(await fixtureRequest([await fixtureTask(o)], { sandbox: "docker" }), {
        ...options,
        ports: { ...ports, provider },
      });
    } finally {
      await machine.remove();
    }
  }

  it("is the task's own where its limit was reached: scored", async () => {
    const { records, retries } = await onMachine(1024, { hardened: false, limits: "memory_mb = 64", solve: hungry });
    expect(retries).toEqual([]);
    expect(records).toMatchObject([{ class: "passed", attempt: 1 }]);
    expect(records[0]?.evidence).toContainEqual(expect.objectContaining({ kind: "cgroup", oomKills: 1, limitBytes: 64 * 1024 ** 2 }));
  });

  it("is the machine's where the task has no limit, whatever the agent made of it: tried again, never scored", async () => {
    const { records, retries } = await onMachine(96, { hardened: false, solve: hungry });
    expect(retries).toEqual(["infra", "infra", "infra"]);
    expect(records).toMatchObject([{ class: "infra", score: null }]);
    expect(records[0]?.evidence).toContainEqual(expect.objectContaining({ kind: "cgroup", machineOomKills: 1 }));
  });

  it("is the machine's under the tests too, in a fresh container and in the agent's own", async () => {
    const test = `python3 -c 'x = bytearray(200_000_000)' || exit 1\n${checkOut}`;
    for (const hardened of [true, false]) {
      const stop = new AbortController(); // the further attempts would say the same
      const limits = hardened ? { limits: "memory_mb = 512" } : {};
      const { result, retries } = await onMachine(
        96,
        { hardened, test, ...limits },
        {
          stop: stop.signal,
          onEvent: ({ type }) => void (type === "trial.retry" && stop.abort()),
        },
      );
      expect(retries).toEqual(["infra"]);
      expect(result).toMatchObject({ status: "stopped", recorded: 0 });
    }
  });
});

// A signal to a process of this machine's takes the same as a control group: root, where the daemon is.
describe.skipIf(needs("cgroups"))("a first process that was killed, by nobody who was seen", { concurrent: true }, () => {
  const end = async (container: Docker.Container) => {
    const { State } = await container.inspect();
    if (State.Pid === 0) throw new Error("It has ended by itself."); // a signal to 0 would be one to our own group
    process.kill(State.Pid, "SIGKILL");
  };

  it("is the machinery's fault, and in every attempt is taken for the agent's work in hardened mode, since who traces that process can make it look so", async () => {
    const name = `always-${process.pid}`;
    const request = await fixtureRequest([await fixtureTask({ name, solve: `${untilLetGo("agent")}\necho done > out.txt\n` })], {
      sandbox: "docker",
    });
    const { measured, ended } = await whileEnding(name, () => measure(request), { when: () => "agent", end });
    expect({ ended, ...measured }).toMatchObject({
      ended: [1, 2, 3],
      retries: ["infra", "infra"],
      records: [{ class: "agent", score: 0, attempt: 3 }],
    });
  });
});
