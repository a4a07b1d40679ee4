import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { connect, connectionFromEnvironment } from "../../../../../harness/sandbox/docker/daemon/connection.ts";
import { uploadFolder } from "../../../../../harness/sandbox/docker/container/container-files.ts";
import { createDockerProvider } from "../../../../../harness/sandbox/docker/docker-provider.ts";
import type { DockerSandbox } from "../../../../../harness/sandbox/docker/container/docker-sandbox.ts";
import { startExec } from "../../../../../harness/sandbox/docker/exec/start-exec.ts";
import { thisOwner } from "../../../../../harness/sandbox/owner.ts";
import type { CreateOptions } from "../../../../../harness/sandbox/provider.ts";
import { needs } from "../../../../needs.ts";

describe.skipIf(needs("docker"))("a container", { timeout: 180_000 }, () => {
  const docker = connect(connectionFromEnvironment());
  const provider = createDockerProvider();
  const open: DockerSandbox[] = [];
  /** Works on whatever happens inside, test after test. */
  let shared: DockerSandbox;
  /** Killed by one test, removed by the next. */
  let doomed: DockerSandbox;
  const create = async (o: CreateOptions = {}) => {
    const prepared = await provider.prepare({ name: "contract", folder: join(import.meta.dirname, "../../fixture") });
    // The docker provider makes this class; its id is needed to look at the container from outside.
    const sandbox = (await prepared.create({ labels: { job: `container-${process.pid}`, trial: "t" }, ...o })) as DockerSandbox;
    open.push(sandbox);
    return sandbox;
  };
  const out = async (sandbox: DockerSandbox, command: string) =>
    Buffer.from((await sandbox.exec(command)).stdout)
      .toString()
      .trim();
  beforeAll(async () => {
    shared = await create({ cpus: 0.5, memoryMb: 128, pids: 64, env: { TOLD: "yes" } });
    doomed = await create();
    open.length = 0;
  }, 120_000);
  afterEach(async () => {
    for (const sandbox of open.splice(0)) await sandbox.close();
  });
  afterAll(async () => {
    for (const sandbox of [shared, doomed]) await sandbox?.close();
  });

  it("takes files at root's places where its image has another user", async () => {
    const folder = await mkdtemp(join(tmpdir(), "forge-user-"));
    try {
      await writeFile(join(folder, "Dockerfile"), "FROM forge-base/debian:bookworm\nWORKDIR /app\nUSER nobody\n");
      const prepared = await provider.prepare({ name: "user", folder });
      const sandbox = (await prepared.create({ labels: { job: `container-${process.pid}`, trial: "t" } })) as DockerSandbox; // see create
      open.push(sandbox);
      await sandbox.upload(folder, "/solution");
      expect(await out(sandbox, "id -un; head -n 1 /solution/Dockerfile")).toBe("nobody\nFROM forge-base/debian:bookworm");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("says of files that this machine cannot read that it is this machine", async () => {
    const folder = await mkdtemp(join(tmpdir(), "forge-unread-"));
    try {
      await writeFile(join(folder, "file"), "text");
      const sandbox = shared;
      const exec: DockerSandbox["exec"] = async (command, o) => {
        await rm(join(folder, "file"), { force: true }); // after it was listed
        return sandbox.exec(command, o);
      };
      await expect(uploadFolder(docker.getContainer(sandbox.id), exec, folder, "/app")).rejects.toMatchObject({ code: "ENOENT" });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("keeps no request open to a container that has just ended: the process could not end for it", async () => {
    const container = docker.getContainer(doomed.id);
    const exec = await container.exec({ AttachStdin: true, AttachStdout: true, AttachStderr: true, Cmd: ["sh"] });
    await container.kill();
    const connections = (): number => process.getActiveResourcesInfo().filter((one) => one === "PipeWrap").length;
    const before = connections();
    await expect(startExec(exec)).rejects.toThrow(/HTTP code/);
    await expect.poll(connections, { timeout: 5_000 }).toBeLessThanOrEqual(before);
  });

  it("has its limits, its labels and no network unless asked", async () => {
    const { HostConfig: host, Config: config } = await docker.getContainer(shared.id).inspect();
    expect(host).toMatchObject({
      NanoCpus: 5e8,
      Memory: 128 * 1024 ** 2,
      MemorySwap: 128 * 1024 ** 2,
      PidsLimit: 64,
      NetworkMode: "none",
      Privileged: false,
    });
    expect(config.Labels).toMatchObject({
      "forge.job": `container-${process.pid}`,
      "forge.trial": "t",
      "forge.owner": thisOwner().process,
    });
    expect(await out(shared, "ls /sys/class/net; echo $TOLD $GREETING")).toBe("lo\nyes hello world");
  });

  it("reaches a network when asked", async () => {
    expect(await out(await create({ network: true }), "ls /sys/class/net")).toContain("eth0");
  });

  it("survives a fork bomb at its limit of processes, and works again after the timeout", async () => {
    // What waits has no need of a process that the bomb may have left it without.
    const bomb = await shared.exec("mkfifo /tmp/never; exec 3<>/tmp/never; b() { b | b & sleep 60; }; b & read -r x <&3", {
      timeoutMs: 1_500,
    });
    expect(["timeout", "killed"]).toContain(bomb.status);
    expect(await out(shared, "cat greeting.txt")).toBe("hello world");
  });

  it("counts what the kernel ended for memory and works on", async () => {
    const hungry = await shared.exec("python3 -c 'x = bytearray(200_000_000); print(len(x))'");
    expect(hungry).toMatchObject({ status: "exited", exitCode: 137 });
    const usage = await shared.usage();
    expect(usage.oomKills).toBeGreaterThan(0);
    expect(usage.memoryPeakBytes).toBeGreaterThan(50_000_000);
  });

  it("outlives kill -9 -1 from inside, which costs the calls in flight and nothing else", async () => {
    await Promise.all([1, 2, 3].map(() => shared.exec("sleep 0.3")));
    const other = shared.exec("echo begun; touch begun; sleep 30");
    expect((await shared.exec("until [ -e begun ]; do sleep 0.1; done; kill -9 -1; sleep 5")).status).toBe("killed");
    expect(await other).toMatchObject({ status: "killed", stdout: Buffer.from("begun\n") });
    expect(await out(shared, "echo again")).toBe("again");
  });

  it("keeps no zombies of orphans that ended", async () => {
    await shared.exec("for i in 1 2 3 4 5; do (setsid sleep 0.1 &) ; done; sleep 0.5");
    expect(await out(shared, "cat /proc/[0-9]*/stat | grep -c ') Z '")).toBe("0");
  });

  it("runs a command as another user", async () => {
    expect(Buffer.from((await shared.exec("id -un", { user: "nobody" })).stdout).toString()).toBe("nobody\n");
  });

  it("says what became of it when somebody else removed it", async () => {
    await docker.getContainer(doomed.id).remove({ force: true });
    await expect(doomed.exec("true").then(() => doomed.exec("true"))).rejects.toThrow(/runs no command: it has been removed/);
  });

  it("is swept when the process that made it has ended, and only then", async () => {
    const mine = shared;
    const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: "ignore" });
    const { place } = thisOwner();
    const image = (await docker.getContainer(mine.id).inspect()).Image;
    const label = (process: string) => ({ forge: "sandbox", "forge.owner": process, "forge.place": place });
    const left = await docker.createContainer({ Image: image, Cmd: ["true"], Labels: label(`${child.pid}-1`) });
    const elsewhere = await docker.createContainer({
      Image: image,
      Cmd: ["true"],
      Labels: { ...label("1-1"), "forge.place": "other/boot/pid" },
    });
    try {
      expect(await provider.sweep()).toBeGreaterThanOrEqual(1);
      await expect(left.inspect()).rejects.toMatchObject({ statusCode: 404 });
      await expect(mine.exec("true")).resolves.toMatchObject({ exitCode: 0 });
      await expect(elsewhere.inspect()).resolves.toBeDefined();
    } finally {
      await elsewhere.remove({ force: true });
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  });
});

describe("a daemon that does not answer", () => {
  it("is told in a sentence with the cure", async () => {
    expect(await createDockerProvider({ connection: { host: "unix:///nowhere/docker.sock" } }).available()).toMatch(
      /There is no Docker socket at unix:\/\/\/nowhere\/docker\.sock; install Docker.*or choose --sandbox bubblewrap\./,
    );
    expect(await createDockerProvider({ connection: { host: "tcp://127.0.0.1:9" } }).available()).toMatch(
      /No Docker daemon listens at tcp:\/\/127\.0\.0\.1:9; start it/,
    );
  });

  it("is looked for where DOCKER_HOST says, else at Docker's and Podman's sockets", () => {
    expect(connectionFromEnvironment({ DOCKER_HOST: "tcp://h:1" })).toEqual({ host: "tcp://h:1" });
    expect(connectionFromEnvironment({ HOME: "/nowhere" }).host).toMatch(/^unix:\/\//);
  });
});

describe.skipIf(needs("docker"))("an image whose sh cannot be a worker", { timeout: 180_000 }, () => {
  it("gets an exec of the engine for each command, which acts the same", async () => {
    const folder = await mkdtemp(join(tmpdir(), "odd-shell-"));
    const odd = `printf '#!/bin/bash\\n[ "$1" = -s ] && exit 1\\nexec /bin/bash "$@"\\n' >/bin/sh && chmod +x /bin/sh`;
    await writeFile(join(folder, "Dockerfile"), `FROM forge-base/debian:bookworm\nWORKDIR /app\nRUN rm /bin/sh && ${odd}\n`);
    const sandbox = await (await createDockerProvider().prepare({ name: "odd-shell", folder })).create();
    try {
      const input = Buffer.from("in\0");
      expect(await sandbox.exec("echo hi; cat; echo e >&2; exit 3", { stdin: input })).toEqual({
        status: "exited",
        exitCode: 3,
        stdout: Buffer.from("hi\nin\0"),
        stderr: Buffer.from("e\n"),
        dropped: 0,
      });
      expect(await sandbox.exec("sleep 50 & echo started")).toMatchObject({ status: "exited", stdout: Buffer.from("started\n") });
      expect(await sandbox.exec("echo a; setsid sleep 51 & sleep 52", { timeoutMs: 500 })).toMatchObject({ status: "timeout" });
      await expect(sandbox.exec("sleep 53", { signal: AbortSignal.timeout(300) })).rejects.toMatchObject({ name: "TimeoutError" });
      expect(await sandbox.exec("cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -o 'sleep 5[123]'")).toMatchObject({ exitCode: 1 });
      await sandbox.writeFile("x", Buffer.from("hey"));
      expect(await sandbox.readFile("x")).toEqual(Buffer.from("hey"));
      await sandbox.endProcesses();
      expect(await sandbox.exec("cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -o 'sleep 5[0]'")).toMatchObject({ exitCode: 1 });
    } finally {
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("answers when the shell was taken away while it worked", async () => {
    const prepared = await createDockerProvider().prepare({ name: "contract", folder: join(import.meta.dirname, "../../fixture") });
    const sandbox = await prepared.create();
    try {
      await sandbox.exec("rm /bin/sh /bin/dash; kill -9 -1");
      const answer = await sandbox.exec("echo hi");
      // Some engines answer with an exit code and a message of their own, some with an error.
      expect([126, 127]).toContain(answer.exitCode);
      expect(Buffer.concat([answer.stdout, answer.stderr]).toString()).toContain("/bin/sh");
    } finally {
      await sandbox.close();
    }
  });
});
