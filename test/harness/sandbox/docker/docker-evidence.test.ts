import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { connect, connectionFromEnvironment } from "../../../../harness/sandbox/docker/daemon/connection.ts";
import { createDockerProvider } from "../../../../harness/sandbox/docker/docker-provider.ts";
import type { DockerSandbox } from "../../../../harness/sandbox/docker/container/docker-sandbox.ts";
import type { CreateOptions } from "../../../../harness/sandbox/provider.ts";
import type { SandboxEvidence } from "../../../../harness/sandbox/sandbox.ts";
import { takenFromOutside } from "../../../../evals/trial/evidence/evidence.ts";
import { boundedGroup } from "../../../../scripts/attacks/bounded-group.ts";
import { needs } from "../../../needs.ts";

describe.skipIf(needs("docker"))("evidence of what happened to a container", { timeout: 180_000 }, () => {
  const docker = connect(connectionFromEnvironment());
  const provider = createDockerProvider();
  const open: DockerSandbox[] = [];
  const create = async (o: CreateOptions = {}) => {
    const prepared = await provider.prepare({ name: "contract", folder: join(import.meta.dirname, "../fixture") });
    // The docker provider makes this class; its id is needed to act on the container from outside.
    const sandbox = (await prepared.create({ labels: { job: `evidence-${process.pid}` }, ...o })) as DockerSandbox;
    open.push(sandbox);
    return sandbox;
  };
  const until = async (what: () => Promise<boolean>) => {
    for (let i = 0; i < 200 && !(await what()); i += 1) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  afterEach(async () => {
    for (const sandbox of open.splice(0)) await sandbox.close();
  });

  it("is empty for one that did nothing wrong", async () => {
    const sandbox = await create({ storageMb: 100 });
    await sandbox.exec("echo hi > file");
    expect(await sandbox.evidence()).toMatchObject({
      state: "running",
      events: [],
      daemonLost: [],
      storageExceeded: [],
      usage: { oomKills: 0, pidsRefused: 0 },
    });
  });

  it("tells a kill from outside from one that Forge asked for", async () => {
    const [outside, own] = [await create(), await create()];
    await docker.getContainer(outside.id).kill();
    await until(async () => (await outside.evidence()).events.length > 1);
    expect(await outside.evidence()).toMatchObject({
      state: "exited",
      exitCode: 137,
      events: [
        { type: "kill", signal: 9, ours: false },
        { type: "die", exitCode: 137, ours: false },
      ],
    });
    await own.exec("rm -rf /bin/sh /usr/bin/dash; kill -9 -1").catch(() => undefined);
    await own.exec("sleep 100 &").catch(() => undefined);
    await own.endProcesses().catch(() => undefined);
    for (const { type, ours } of (await own.evidence()).events) expect([type, ours]).toEqual([expect.stringMatching(/kill|die/), true]);
  });

  it("says that it is gone when somebody removed it", async () => {
    const sandbox = await create();
    await docker.getContainer(sandbox.id).remove({ force: true });
    await until(async () => (await sandbox.evidence()).events.some(({ type }) => type === "destroy"));
    const { state, events } = await sandbox.evidence();
    expect(state).toBe("gone");
    expect(events.map(({ type }) => type)).toContain("destroy");
  });

  // A signal to a process of this machine's takes the same as a control group: root, where the daemon is.
  it.skipIf(needs("cgroups"))(
    "tells that its first process was killed, which nobody inside can do, though no event of the daemon's says by whom",
    async () => {
      // Asked at once, while the daemon calls it running: without a look at its processes three of four times nothing would be seen.
      for (let i = 0; i < 3; i += 1) {
        const killed = await create();
        const container = docker.getContainer(killed.id);
        const cut = killed.exec("sleep 100");
        await until(async () => JSON.stringify((await container.top()).Processes).includes("sleep 100"));
        process.kill((await container.inspect()).State.Pid, "SIGKILL");
        expect(await cut).toMatchObject({ status: "killed" });
        expect(takenFromOutside(await killed.evidence())).toMatchObject({ kind: "daemon", event: "die", exitCode: 137, unseen: true });
      }
      const left = await create();
      await left.exec("kill -KILL 1; kill -TERM 1").catch(() => undefined);
      await until(async () => (await left.evidence()).state === "exited"); // by a trap of its own, whenever that comes
      expect(takenFromOutside(await left.evidence())).toBeUndefined();
    },
  );

  it("has the daemon's word on memory, and the counters of limits, whatever commands inside say", async () => {
    const sandbox = await create({ memoryMb: 64, pids: 40 });
    await sandbox.exec("printf '#!/bin/sh\\necho oom_kill 99\\n' > /usr/local/bin/grep; chmod +x /usr/local/bin/grep");
    await sandbox.exec("python3 -c 'x = bytearray(200_000_000)'");
    await sandbox.exec("for i in $(seq 60); do sleep 20 & done", { timeoutMs: 1_500 });
    await until(async () => (await sandbox.evidence()).events.some(({ type }) => type === "oom"));
    const { events, usage } = await sandbox.evidence();
    expect(events.map(({ type }) => type)).toContain("oom");
    expect(usage.oomKills).toBeGreaterThan(0);
    expect(usage.oomKills).toBeLessThan(99);
    expect(usage.pidsRefused).toBeGreaterThan(0);
    expect(usage.memoryPeakBytes).toBeGreaterThan(50_000_000);
  });

  it("ends what fills the disk beyond the limit, says so, and lets the rest work on", async () => {
    const sandbox = await create({ storageMb: 50 });
    const filled = await sandbox.exec("dd if=/dev/zero of=big bs=1M count=80 2>/dev/null; sync; sleep 30", { timeoutMs: 20_000 });
    expect(filled.status).toBe("killed");
    const { storageExceeded, usage } = await sandbox.evidence();
    expect(storageExceeded).toEqual([
      { at: expect.any(Number) as number, bytes: expect.any(Number) as number, limitBytes: 50 * 1024 ** 2 },
    ]);
    expect(usage.storagePeakBytes).toBeGreaterThan(50 * 1024 ** 2);
    // It may remove what was too much.
    expect(await sandbox.exec("rm big; sleep 1; echo ok")).toMatchObject({ status: "exited", stdout: Buffer.from("ok\n") });
    expect((await sandbox.usage()).storageBytes).toBeLessThan(10 * 1024 ** 2);
  });

  it("gives the disk back at once when far more than the limit was claimed at a stroke, which nobody outside did", async () => {
    const sandbox = await create({ storageMb: 50 });
    await sandbox.exec("fallocate -l 400M claimed; sleep 20", { timeoutMs: 15_000 }).catch(() => undefined);
    await until(async () => (await sandbox.evidence()).state === "gone");
    const seen = await sandbox.evidence();
    expect(seen.storageExceeded).toMatchObject([{ limitBytes: 50 * 1024 ** 2 }]);
    expect(takenFromOutside(seen)).toBeUndefined();
    await expect(sandbox.exec("echo on")).rejects.toThrow(/has been removed/);
  });

  it("counts blocks, not the size a sparse file claims", async () => {
    const sandbox = await create({ storageMb: 50 });
    expect(await sandbox.exec("truncate -s 1T sparse; head -c 20000000 /dev/zero > real; sleep 1; echo ok")).toMatchObject({
      status: "exited",
    });
    const { storageExceeded, usage } = await sandbox.evidence();
    expect(storageExceeded).toEqual([]);
    expect(usage.storageBytes).toBeLessThan(25_000_000);
  });

  it("has a limit of processes even where the task names none, and no mount of the host", async () => {
    const { HostConfig: host, Mounts: mounts } = await docker.getContainer((await create()).id).inspect();
    expect(host.PidsLimit).toBeGreaterThan(0);
    expect(mounts).toEqual([]);
  });
});

describe.skipIf(needs("cgroups"))("a container whose machine runs out of memory", { timeout: 120_000 }, () => {
  const hungry = "python3 -c 'x = bytearray(200_000_000)'";
  // A control group above the container stands for the machine: its limit is none of the container's own.
  const evidenceUnder = async (machineMb: number, o: CreateOptions): Promise<SandboxEvidence> => {
    const machine = boundedGroup(`forge-evidence-${process.pid}`, { memoryBytes: machineMb * 1024 ** 2 });
    const provider = createDockerProvider({ cgroupParent: machine.parent });
    try {
      const prepared = await provider.prepare({ name: "contract", folder: join(import.meta.dirname, "../fixture") });
      const sandbox = await prepared.create({ labels: { job: `evidence-${process.pid}` }, ...o });
      try {
        expect(await sandbox.exec(hungry)).toMatchObject({ exitCode: 137 });
        if (!sandbox.evidence) throw new Error("a container has evidence");
        return await sandbox.evidence();
      } finally {
        await sandbox.close();
      }
    } finally {
      await machine.remove();
    }
  };

  it("is told from one that reached a limit of its own", async () => {
    const own = await evidenceUnder(1024, { memoryMb: 64 });
    expect(own.usage).toMatchObject({ oomKills: 1, memoryLimitBytes: 64 * 1024 ** 2 });
    expect(own.usage.machineOomKills).toBeUndefined();
    expect(takenFromOutside(own)).toBeUndefined();
  });

  it.each([
    ["has no limit", {}],
    ["has a limit that was not reached", { memoryMb: 512 }],
  ])("and which %s is not at fault", async (_, o: CreateOptions) => {
    const seen = await evidenceUnder(96, o);
    expect(seen.usage).toMatchObject({ oomKills: 0, machineOomKills: 1 });
    expect(takenFromOutside(seen)).toMatchObject({ kind: "cgroup", machineOomKills: 1 });
  });
});
