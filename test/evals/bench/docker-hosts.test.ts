import { rm } from "node:fs/promises";
import { createServer, connect, type Server, type Socket } from "node:net";
import { join } from "node:path";
import Docker from "dockerode";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { createBenchPorts } from "../../../assembly/create-bench-ports.ts";
import { bench } from "../../../evals/bench/bench.ts";
import type { BenchEvent } from "../../../evals/bench/bench-events.ts";
import { checkAddress } from "../../../harness/sandbox/docker/daemon/docker-address.ts";
import { createDockerHosts } from "../../../harness/sandbox/docker/docker-hosts.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { needs } from "../../needs.ts";
import { fixtureRequest, fixtureTask, removeScratch, scratch } from "../bench-fixture.ts";

vi.setConfig({ testTimeout: 120_000 });
const opened: Gateway[] = [];
afterEach(() => Promise.all(opened.splice(0).map((gateway) => gateway.lose())));
afterAll(removeScratch);

/** An address of its own for the daemon here, which can go away as a machine does. */
interface Gateway {
  readonly address: string;
  /** Containers that were asked for through it. */
  readonly created: () => number;
  lose(): Promise<void>;
}
async function gateway(): Promise<Gateway> {
  const path = join(await scratch(), "docker.sock");
  const sockets = new Set<Socket>();
  let created = 0;
  const server: Server = createServer((incoming) => {
    const outgoing = connect("/var/run/docker.sock");
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        incoming.destroy();
        outgoing.destroy();
      });
    }
    incoming.on("data", (piece) => {
      if (piece.includes("/containers/create")) created++;
    });
    incoming.pipe(outgoing).pipe(incoming);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const one: Gateway = {
    address: `unix://${path}`,
    created: () => created,
    async lose() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(path, { force: true });
    },
  };
  opened.push(one);
  return one;
}

describe.skipIf(needs("docker"))("several Docker hosts", () => {
  it("share the trials, and when one is lost its trials are tried again on the others", async () => {
    const [here, there] = [await gateway(), await gateway()];
    const ports = await createBenchPorts({}, { dockerHosts: [here.address, there.address] });
    const task = await fixtureTask({ solve: "sleep 1; echo done > out.txt\n" });
    const events: BenchEvent[] = [];
    const request = await fixtureRequest([task], { sandbox: "docker", repeats: 3, jobs: 2 });
    let steps = 0;
    const result = await bench(request, ports, {
      retryMs: 10,
      onEvent(event) {
        events.push(event);
        // Both slots have an agent at work, each on a host of its own.
        if (event.type === "trial.step" && event.step.command !== null && ++steps === 2) void there.lose();
      },
    });
    expect(result).toMatchObject({ status: "finished", trials: 3, recorded: 3, unscored: 0 });
    expect(result.configurations[0]).toMatchObject({ passed: 3 });
    const lost = events.filter((event) => event.type === "trial.retry");
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.every((event) => event.class === "infra")).toBe(true);
    expect(here.created()).toBeGreaterThan(there.created());
    expect(there.created()).toBeGreaterThan(0);
    // Both addresses are one daemon's: what the lost host still had when its trial ended goes at the end of the job.
    const docker = new Docker({ socketPath: "/var/run/docker.sock" });
    const left = await docker.listContainers({ all: true, filters: { label: [`forge.job=${result.job}`] } });
    expect(left).toEqual([]);
  });

  it("get a trial where its memory is, also where more of them run already", async () => {
    const [here, there] = [await gateway(), await gateway()];
    const hosts = createDockerHosts([here.address, there.address]);
    const { memoryBytes = 0 } = (await hosts.capacity?.()) ?? {};
    const { folder = "" } = (await fixtureTask()).environment;
    const prepared = await hosts.prepare({ name: "write-out", folder });
    const sandboxes: Sandbox[] = [];
    const run = async (share: number): Promise<readonly [number, number]> => {
      const placed = await (prepared.place?.({ memoryBytes: share * memoryBytes }) ?? expect.fail());
      sandboxes.push(await placed.create());
      return [here.created(), there.created()];
    };
    const [before, beside] = [here.created(), there.created()];
    const since = ([a, b]: readonly [number, number]): readonly number[] => [a - before, b - beside];
    expect(since(await run(0.8))).toEqual([1, 0]);
    expect(since(await run(0.1))).toEqual([1, 1]);
    expect(since(await run(0.1))).toEqual([2, 1]); // the fewest, and room enough
    expect(since(await run(0.3))).toEqual([2, 2]);
    expect(since(await run(0.3))).toEqual([2, 3]); // more of them than here, where there is no room
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
    expect(since(await run(0.8))).toEqual([3, 3]); // all is given back
    await sandboxes.at(-1)?.close();
  });

  it("do not need the one that is away from the beginning, and say which are away when none answers", async () => {
    const there = await gateway();
    const away = `unix://${join(await scratch(), "nothing.sock")}`;
    const hosts = createDockerHosts([away, there.address]);
    expect(await hosts.available()).toBe(true);
    expect(await hosts.capacity?.()).toMatchObject({ local: true, cpus: expect.any(Number) });
    const { folder = "" } = (await fixtureTask()).environment;
    const prepared = await hosts.prepare({ name: "write-out", folder });
    const sandbox = await (await (prepared.place?.() ?? expect.fail())).create();
    expect((await sandbox.exec("true")).exitCode).toBe(0);
    await sandbox.close();
    await there.lose();
    await expect(prepared.place?.()).rejects.toThrow(`None of the Docker daemons responds (${away}, ${there.address}); start one of them.`);
    expect(await hosts.available()).toMatch(/There is no Docker socket at unix:.*There is no Docker socket at unix:/);
  });
});

it.each(["unix:///var/run/docker.sock", "ssh://me@machine:2222", "tcp://machine:2375"])("%s is an address of a daemon", (address) => {
  expect(checkAddress(address)).toBe(address);
});
it.each(["machine", "/var/run/docker.sock", "ssh://", "ftp://x"])("%s is not, and the cure is told", (address) => {
  expect(() => checkAddress(address)).toThrow(`--docker-host "${address}" is no address of a Docker daemon; write it like unix:///`);
});
