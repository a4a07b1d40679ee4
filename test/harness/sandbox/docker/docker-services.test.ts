import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { baseImage } from "../../../../harness/sandbox/docker/image/base-image.ts";
import type { Compose, Service } from "../../../../harness/sandbox/compose.ts";
import { connect, connectionFromEnvironment } from "../../../../harness/sandbox/docker/daemon/connection.ts";
import { createDockerProvider } from "../../../../harness/sandbox/docker/docker-provider.ts";
import { DockerSandbox } from "../../../../harness/sandbox/docker/container/docker-sandbox.ts";
import { thisOwner } from "../../../../harness/sandbox/owner.ts";
import type { CreateOptions } from "../../../../harness/sandbox/provider.ts";
import type { Sandbox } from "../../../../harness/sandbox/sandbox.ts";
import { needs } from "../../../needs.ts";

const plain: Omit<Service, "name"> = {
  environment: {},
  dependsOn: [],
  networks: [{ name: "default", aliases: [] }],
  volumes: [],
  tmpfs: [],
  readOnly: false,
  init: false,
  capAdd: [],
  capDrop: [],
};

describe.skipIf(needs("docker"))("a task's environment", { timeout: 180_000 }, () => {
  const docker = connect(connectionFromEnvironment());
  const provider = createDockerProvider();
  const job = `services-${process.pid}`;
  const name = `svc-${process.pid}`;
  const open: Sandbox[] = [];
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "services-"));
  });
  afterEach(async () => {
    if (open.length === 0) return; // a sandbox of several tests
    for (const sandbox of open.splice(0)) await sandbox.close();
    await noneLeft();
  });
  afterAll(async () => {
    await rm(root, { recursive: true, force: true });
    const images = await docker.listImages({ filters: { reference: [`forge-task/${name}*`] } });
    for (const { RepoTags: tags } of images)
      for (const tag of tags?.filter((one) => one.includes(name)) ?? []) await docker.getImage(tag).remove();
  });
  const leftovers = async (): Promise<string[]> => {
    const filters = { label: [`forge.job=${job}`] };
    return [
      ...(await docker.listContainers({ all: true, filters })).map(({ Id }) => Id),
      ...(await docker.listNetworks({ filters })).map(({ Name }) => Name),
      ...(await docker.listVolumes({ filters })).Volumes.map(({ Name }) => Name),
    ];
  };
  const noneLeft = async (): Promise<void> => {
    const left = await leftovers();
    if (left.length > 0) throw new Error(`left in Docker: ${left.join(", ")}`);
  };
  const folder = async (files: Record<string, string>): Promise<string> => {
    const made = await mkdtemp(join(root, "f-"));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(made, path)), { recursive: true });
      await writeFile(join(made, path), text);
    }
    return made;
  };
  const create = async (environment: { folder?: string; image?: string; workdir?: string; compose?: Compose }, o: CreateOptions = {}) => {
    const prepared = await provider.prepare({ name, ...environment });
    const sandbox = await prepared.create({ labels: { job }, network: true, ...o });
    open.push(sandbox);
    return sandbox;
  };
  const compose = (services: readonly Service[], more: Partial<Compose> = {}): Compose => ({
    file: "compose.yaml",
    main: "main",
    services,
    networks: [{ name: "default", internal: false }],
    volumes: [],
    ...more,
  });
  const out = async (sandbox: Sandbox, command: string) =>
    Buffer.from((await sandbox.exec(command)).stdout)
      .toString()
      .trim();
  const app = () => folder({ Dockerfile: `FROM ${baseImage}\nWORKDIR /app\n` });

  describe("of three services", () => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      const context = await folder({
        Dockerfile: `ARG TEXT\nFROM ${baseImage} AS web\nARG TEXT\nWORKDIR /srv\nRUN echo "$TEXT" >hello\nFROM web\nRUN echo no >hello\n`,
      });
      sandbox = await create(
        {
          folder: await app(),
          compose: compose(
            [
              {
                ...plain,
                name: "db",
                image: baseImage,
                command: ["sh", "-c", "sleep 0.5; touch /data/up; sleep 600"],
                volumes: [{ name: "shared", target: "/data", readOnly: false }],
                healthcheck: {
                  test: ["CMD", "test", "-f", "/data/up"],
                  intervalMs: 0.201 * 1000,
                  timeoutMs: 1.001 * 1000,
                  startPeriodMs: 1.0000001,
                  retries: 50,
                },
              },
              {
                ...plain,
                name: "web",
                build: { context, target: "web", args: { TEXT: "hello from web" } },
                command: ["python3", "-m", "http.server", "80"],
                environment: { A: "b" },
                networks: [{ name: "default", aliases: ["site"] }],
                dependsOn: [{ service: "db", condition: "healthy" }],
                memoryMb: 128,
                pids: 20,
                cpus: 0.5,
              },
              {
                ...plain,
                name: "main",
                environment: { FROM_FILE: "1" },
                dependsOn: [{ service: "web", condition: "started" }],
                volumes: [{ name: "shared", target: "/shared", readOnly: true }],
              },
            ],
            { volumes: ["shared"] },
          ),
        },
        { env: { FROM_TASK: "2" }, services: { memoryMb: 100, storageMb: 20, pids: 60 } },
      );
      open.length = 0;
    }, 120_000);
    afterAll(async () => {
      await sandbox?.close();
      await noneLeft();
    });

    it("has services that the agent's container reaches by name, started when those they need are healthy, whatever part of a nanosecond is left", async () => {
      expect(await out(sandbox, "ls /shared; echo $FROM_FILE$FROM_TASK; pwd")).toBe("up\n12\n/app");
      const get = (host: string) =>
        `python3 -c "import urllib.request,time\nfor i in range(50):\n  try: print(urllib.request.urlopen('http://${host}/hello').read().decode()); break\n  except OSError: time.sleep(0.1)"`;
      expect(await out(sandbox, get("web"))).toBe("hello from web");
      expect(await out(sandbox, get("site"))).toBe("hello from web");
      expect(await sandbox.service?.("web")?.exec("echo $A; cat hello")).toMatchObject({ stdout: Buffer.from("b\nhello from web\n") });
      expect(sandbox.service?.("nobody")).toBeUndefined();
      expect((await leftovers()).length).toBe(5);
    });

    it("gives services that state no limit the bounds they are given, and watches what they write", async () => {
      const limitsOf = async (one: string) => {
        const service = sandbox.service?.(one);
        if (!(service instanceof DockerSandbox)) throw new Error(`no service ${one}`);
        const { HostConfig: host } = await docker.getContainer(service.id).inspect();
        return [host.Memory, host.PidsLimit];
      };
      expect(await limitsOf("db")).toEqual([100 * 1024 ** 2, 60]);
      expect(await limitsOf("web")).toEqual([128 * 1024 ** 2, 20]);
      const filled = await sandbox.service?.("db")?.exec("head -c 80000000 /dev/zero > /var/tmp/big; sleep 20", { timeoutMs: 15_000 });
      expect(filled?.status).toBe("killed");
    });
  });

  it("keeps services apart by their networks, and gives the agent none where the task has none", async () => {
    const services: Service[] = [
      { ...plain, name: "other", image: baseImage, command: ["sleep", "600"], networks: [{ name: "back", aliases: [] }] },
      { ...plain, name: "main", extraHosts: ["fixed:10.9.8.7"], ulimits: [{ name: "nofile", soft: 77, hard: 88 }], groups: ["4242"] },
    ];
    const file = compose(services, {
      networks: [
        { name: "default", internal: false },
        { name: "back", internal: true },
      ],
    });
    const apart = await create({ folder: await app(), compose: file });
    expect(await out(apart, "getent hosts other || echo unknown")).toBe("unknown");
    expect(await out(apart, "getent hosts fixed | cut -d' ' -f1; id -G; grep 'open files' /proc/1/limits | tr -s ' '")).toBe(
      "10.9.8.7\n0 4242\nMax open files 77 88 files",
    );
    const alone = await create({ folder: await app(), compose: file }, { network: false });
    expect(await out(alone, "ls /sys/class/net")).toBe("lo");
  });

  it("gives services the task's own files as mounts would: shared, read-only where asked, and anew for each trial", async () => {
    const own = await folder({ "data/a.txt": "a", "data/sub/b.txt": "b", "conf/x.conf": "x", "seed.sql": "seed" });
    const [data, conf, seed] = [join(own, "data"), join(own, "conf"), join(own, "seed.sql")];
    const services: Service[] = [
      {
        ...plain,
        name: "other",
        image: baseImage,
        command: ["sh", "-c", "cp /etc/init/seed.sql /data/from-service; sleep 600"],
        mounts: [
          { source: data, type: "folder", target: "/data", readOnly: false },
          { source: seed, type: "file", target: "/etc/init/seed.sql", readOnly: true },
        ],
      },
      {
        ...plain,
        name: "main",
        dependsOn: [{ service: "other", condition: "started" }],
        mounts: [
          { source: data, type: "folder", target: "/app", readOnly: false },
          { source: conf, type: "folder", target: "/conf", readOnly: true },
          { source: seed, type: "file", target: "/conf/seed.sql", readOnly: true },
          { source: join(own, "missing"), type: "folder", target: "/made", readOnly: false },
        ],
      },
    ];
    const image = await folder({ Dockerfile: `FROM ${baseImage}\nWORKDIR /app\nRUN echo hidden >of-the-image\n` });
    const environment = { folder: image, compose: compose(services) };
    const first = await create(environment);
    const wait = "for i in $(seq 50); do [ -e /app/from-service ] && break; sleep 0.1; done";
    expect(await out(first, `${wait}; ls /app /made; cat /app/sub/b.txt /app/from-service /conf/x.conf /conf/seed.sql`)).toBe(
      "/app:\na.txt\nfrom-service\nsub\n\n/made:\nbseedxseed",
    );
    expect(await out(first, "echo no >/conf/x.conf || echo refused; echo mine >/app/a.txt")).toBe("refused");
    expect(await out(first.service?.("other") ?? first, "cat /data/a.txt")).toBe("mine");
    const second = await create({ ...environment, compose: compose(services.slice(1).map((one) => ({ ...one, dependsOn: [] }))) });
    expect(await out(second, "cat /app/a.txt")).toBe("a");
    expect(await readFile(join(data, "a.txt"), "utf8")).toBe("a");
  });

  it("is another environment when a mounted file changes", async () => {
    const own = await folder({ "a.txt": "a" });
    const services: Service[] = [{ ...plain, name: "main", mounts: [{ source: own, type: "folder", target: "/own", readOnly: true }] }];
    const environment = { name, folder: await app(), compose: compose(services) };
    const before = await provider.prepare(environment);
    await writeFile(join(own, "a.txt"), "b");
    expect((await provider.prepare(environment)).digest).not.toBe(before.digest);
  });

  it("counts what is written into a volume towards the storage limit, not what it was filled with", async () => {
    const own = await folder({ "big.bin": "x".repeat(3_000_000) });
    const services: Service[] = [{ ...plain, name: "main", mounts: [{ source: own, type: "folder", target: "/own", readOnly: false }] }];
    const sandbox = await create({ folder: await app(), compose: compose(services) }, { storageMb: 50 });
    expect((await sandbox.usage()).storageBytes).toBeLessThan(2_000_000);
    await sandbox.exec("head -c 8000000 /dev/urandom >/own/more && sync");
    expect((await sandbox.usage()).storageBytes).toBeGreaterThan(7_000_000);
  });

  it("removes all of them when one does not become healthy, and says which", async () => {
    const check = { test: ["CMD-SHELL", "echo not yet; exit 1"], intervalMs: 100, timeoutMs: 1000, startPeriodMs: 0, retries: 2 };
    const file = compose([
      { ...plain, name: "db", image: baseImage, command: ["sleep", "600"], healthcheck: check },
      { ...plain, name: "main" },
    ]);
    await expect(create({ folder: await app(), compose: file })).rejects.toMatchObject({
      name: "InfraError",
      message: expect.stringContaining('Service "db" did not become healthy (unhealthy): not yet') as string,
    });
    expect(await leftovers()).toEqual([]);
  });

  it("runs the image's entry point and waits for its health check, as compose would", async () => {
    const entry = `FROM ${baseImage}\nWORKDIR /app\nRUN printf '#!/bin/sh\\nsleep 1; echo up >/app/state; exec "$@"\\n' >/entry && chmod +x /entry\nENTRYPOINT ["/entry"]\nHEALTHCHECK --interval=5s --retries=1 CMD test -f /app/state\n`;
    const sandbox = await create({ folder: await folder({ Dockerfile: entry }) });
    expect(await out(sandbox, "cat state; cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -o 'sleep infinity' | head -1")).toBe(
      "up\nsleep infinity",
    );
    await sandbox.endProcesses();
    expect(await out(sandbox, "cat state")).toBe("up");
    await expect(
      create({
        folder: await folder({
          Dockerfile: `FROM ${baseImage}\nHEALTHCHECK --interval=100ms --start-period=100ms --retries=2 CMD echo sick && exit 1\n`,
        }),
      }),
    ).rejects.toThrow(/health check of the image failed 2 times.*sick/);
  });

  it("is started again with the files it had on disk alone, and waits for the image's health no longer than it is asked to", async () => {
    const file = `FROM ${baseImage}\nWORKDIR /app\nRUN touch well\nHEALTHCHECK --interval=1s --retries=60 CMD test -f /app/well\n`;
    const sandbox = await create({ folder: await folder({ Dockerfile: file }) });
    expect(await out(sandbox, "touch kept /dev/shm/lost; ls /app /dev/shm")).toContain("lost");
    await sandbox.restart?.();
    expect(await out(sandbox, "ls kept; ls /dev/shm")).toBe("kept");
    await sandbox.exec("rm well");
    await expect(sandbox.restart?.({ signal: AbortSignal.timeout(1_500) })).rejects.toMatchObject({
      name: expect.stringMatching(/Abort|Timeout/) as unknown,
    });
  }, 40_000);

  describe("of an image alone", () => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      sandbox = await create({ image: baseImage, workdir: "/var/tmp" });
      open.length = 0;
    }, 120_000);
    afterAll(async () => {
      await sandbox?.close();
      await noneLeft();
    });

    it("takes an image that is here without asking a registry, and another working directory than the image's", async () => {
      expect([sandbox.workdir, await out(sandbox, "pwd")]).toEqual(["/var/tmp", "/var/tmp"]);
    });

    it("can lose its network and get it back", async () => {
      const cards = () => out(sandbox, "ls /sys/class/net | grep -c eth");
      expect(await cards()).toBe("1");
      await sandbox.setNetwork?.({ mode: "no-network" });
      expect(await cards()).toBe("0");
      await sandbox.setNetwork?.({ mode: "public" });
      expect(await cards()).toBe("1");
    });

    it("keeps nothing that is written to the output of PID 1", async () => {
      await sandbox.exec("head -c 5000000 /dev/zero > /proc/1/fd/1");
      const [container] = await docker.listContainers({ filters: { label: [`forge.job=${job}`] } });
      const { HostConfig: host } = await docker.getContainer(container?.Id ?? "").inspect();
      expect(host.LogConfig).toMatchObject({ Type: "none" });
    });
  });

  it("can get a network where it had none", async () => {
    const without = await create({ image: baseImage }, { network: false });
    await without.setNetwork?.({ mode: "public" });
    expect(await out(without, "ls /sys/class/net | grep -c eth")).toBe("1");
  });

  it("is swept with networks and volumes when its process has ended", async () => {
    const labels = { forge: "sandbox", "forge.owner": "999999-1", "forge.place": thisOwner().place };
    const network = await docker.createNetwork({ Name: `forge-sweep-${process.pid}`, Labels: labels });
    await docker.createVolume({ Name: `forge-sweep-${process.pid}`, Labels: labels });
    expect(await provider.sweep()).toBeGreaterThanOrEqual(2);
    await expect(network.inspect()).rejects.toMatchObject({ statusCode: 404 });
    await expect(docker.getVolume(`forge-sweep-${process.pid}`).inspect()).rejects.toMatchObject({ statusCode: 404 });
  });
});
