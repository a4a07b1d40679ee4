import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { baseImage, bootstrapBaseImage } from "../../../../../harness/sandbox/docker/image/base-image.ts";
import { connect, connectionFromEnvironment } from "../../../../../harness/sandbox/docker/daemon/connection.ts";
import { createDockerProvider } from "../../../../../harness/sandbox/docker/docker-provider.ts";
import type { Sandbox } from "../../../../../harness/sandbox/sandbox.ts";
import { needs, there } from "../../../../needs.ts";

describe.skipIf(needs("docker"))("building an image for a task", { timeout: 180_000 }, () => {
  const docker = connect(connectionFromEnvironment());
  const provider = createDockerProvider();
  const name = `build test/${process.pid}`;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "build-"));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    const images = await docker.listImages({ filters: { reference: [`forge-task/build-test-${process.pid}`] } });
    for (const { Id: id } of images) await docker.getImage(id).remove({ force: true });
  });
  const dockerfile = (text: string) => writeFile(join(folder, "Dockerfile"), text);

  it("builds once for the same content and again for other content", async () => {
    await dockerfile(`FROM ${baseImage}\nWORKDIR /app\nCOPY . .\nRUN date +%N >built\n`);
    await writeFile(join(folder, "data"), "one");
    const steps: string[] = [];
    const first = await provider.prepare({ name, folder }, { onProgress: (line) => steps.push(line) });
    expect(first).toMatchObject({ workdir: "/app", deviations: [] });
    expect(steps[0]).toMatch(/^Step 1\/4 : FROM/);
    steps.length = 0;
    expect((await provider.prepare({ name, folder }, { onProgress: (line) => steps.push(line) })).digest).toBe(first.digest);
    expect(steps).toEqual([]);
    await writeFile(join(folder, "data"), "two");
    expect((await provider.prepare({ name, folder })).digest).not.toBe(first.digest);
  });

  it("asks for room before it builds, with what a build may take, gives it back when it fails too, and asks for none where nothing is built", async () => {
    await dockerfile(`FROM ${baseImage}\nLABEL room=${process.pid}\n`);
    const { memoryBytes } = (await provider.capacity?.()) ?? { memoryBytes: 0 };
    let [asked, left] = [0, 0];
    const room = async (bytes: number) => {
      asked += 1;
      expect(bytes).toBe(Math.floor(memoryBytes * 0.45));
      return () => void (left += 1);
    };
    await provider.prepare({ name, folder }, { room });
    await provider.prepare({ name, folder }, { room });
    expect([asked, left]).toEqual([1, 1]);
    await dockerfile(`FROM ${baseImage}\nCOPY missing .\n`);
    await expect(provider.prepare({ name, folder }, { room })).rejects.toThrow(/does not build/);
    expect([asked, left]).toEqual([2, 2]);
  });

  it("gives its room back whatever time it is given: part of a millisecond, or more than a timer takes", async () => {
    for (const [i, buildTimeoutMs] of [1000.5, 60.001 * 1000, 1e13].entries()) {
      await dockerfile(`FROM ${baseImage}\nLABEL time=${i}-${process.pid}\n`);
      let left = 0;
      const built = await provider.prepare({ name, folder, buildTimeoutMs }, { room: async () => () => void (left += 1) }).catch(String);
      expect(left).toBe(1);
      // on a busy machine a second may be too little
      if (i === 0 && typeof built === "string") expect(built).toMatch(/not built within 1\.0005 s/);
      else expect(built).toMatchObject({ deviations: [] });
    }
  });

  describe("by several steps", () => {
    let sandbox: Sandbox;
    const lines = async (path: string): Promise<string[]> =>
      Buffer.from((await sandbox.readFile(path)) ?? [])
        .toString()
        .split("\n");
    beforeAll(async () => {
      const context = await mkdtemp(join(tmpdir(), "build-"));
      const read = "cd /sys/fs/cgroup; cat memory.max pids.max 2>/dev/null || cat memory/memory.limit_in_bytes pids/pids.max";
      await writeFile(
        join(context, "Dockerfile"),
        `FROM ${baseImage}\nWORKDIR /app\nCOPY . /app/\nRUN ls -A >list\nARG TARGETARCH\nRUN cat >script.sh <<'END' && echo "$TARGETARCH" >arch\necho "$1"\nfrom here\nEND\nCOPY --chown=0:0 <<note /app/\nhello\nnote\nRUN sleep 2; (${read}) >/app/bounds\n`,
      );
      await writeFile(join(context, ".dockerignore"), "*.log\n!keep.log\n# note\nsecret\n");
      for (const file of ["a.log", "keep.log", "secret"]) await writeFile(join(context, file), file);
      sandbox = await (await provider.prepare({ name, folder: context })).create();
      await rm(context, { recursive: true });
    }, 120_000);
    afterAll(() => sandbox?.close());

    it("leaves out what .dockerignore names", async () => {
      expect((await lines("list")).filter((file) => /log|secret/.test(file))).toEqual(["keep.log"]);
    });

    it("bounds what a step may take of memory, processors and processes", async () => {
      const [memory, pids] = await lines("/app/bounds");
      const { MemTotal: machine } = (await docker.info()) as { MemTotal: number };
      expect(Number(memory) / machine).toBeCloseTo(0.45, 2);
      expect(pids).toBe("4096");
    });

    it("carries here-documents and the machine's kind to any builder", async () => {
      const { stdout } = await sandbox.exec("cat script.sh note arch");
      expect(Buffer.from(stdout).toString()).toMatch(/^echo "\$1"\nfrom here\nhello\n(amd64|arm64)\n$/);
    });
  });

  it("says that a step was killed, and how much memory it may have", async () => {
    await dockerfile(`FROM ${baseImage}\nRUN sh -c 'kill -9 $$'; exit $?\n`);
    await expect(provider.prepare({ name, folder })).rejects.toThrow(
      /code: 137: it was killed, as is a step that takes more than \d+ MiB of memory\./,
    );
  });

  it("says which step failed and what it printed last", async () => {
    await dockerfile(`FROM ${baseImage}\nRUN echo one\nRUN echo reading tea leaves && exit 9\n`);
    await expect(provider.prepare({ name, folder })).rejects.toMatchObject({
      name: "ConfigError",
      message: expect.stringMatching(
        /Dockerfile: the image does not build: Step 3\/3 : RUN echo reading.*non-zero code: 9.*Last output: reading tea leaves/,
      ) as string,
    });
  });

  it("names the file for a Dockerfile that the daemon cannot read", async () => {
    await dockerfile(`FROM ${baseImage}\nFLY away\n`);
    await expect(provider.prepare({ name, folder })).rejects.toThrow(/Dockerfile: the image does not build.*FLY/i);
    await rm(join(folder, "Dockerfile"));
    await expect(provider.prepare({ name, folder })).rejects.toThrow(/Dockerfile does not exist/);
  });

  it("puts the base image in place of one that cannot be pulled, says so, and tags nothing with the official name", async () => {
    const missing = "forge.invalid/nobody/nothing:1";
    await dockerfile(`ARG BASE=${missing}\nFROM $BASE AS first\nRUN echo hi >/x\nFROM first\nWORKDIR /w\n`);
    const prepared = await provider.prepare({ name, folder });
    expect(prepared.deviations).toEqual([`FROM ${missing} could not be pulled; the image was built on ${baseImage} instead.`]);
    await expect(docker.getImage(missing).inspect()).rejects.toMatchObject({ statusCode: 404 });
  });

  it("says that a prebuilt image is not to be had", async () => {
    await expect(provider.prepare({ name, image: "forge.invalid/nothing:2" })).rejects.toThrow(
      /forge\.invalid\/nothing:2 .* cannot be pulled/,
    );
  });

  it("does not make the base image again when it is there", async () => {
    const lines: string[] = [];
    expect(await bootstrapBaseImage({ onProgress: (line) => lines.push(line) })).toBe("present");
    expect(lines).toEqual([`${baseImage} is there`]);
  });

  it("names the plugin that a Dockerfile needs where it is not there", async () => {
    const home = process.env["HOME"];
    const path = process.env["PATH"];
    Object.assign(process.env, { HOME: folder, PATH: folder });
    try {
      await dockerfile(`FROM ${baseImage}\nRUN --mount=type=cache,target=/c true\n`);
      await expect(createDockerProvider().prepare({ name, folder })).rejects.toMatchObject({
        name: "ConfigError",
        message: expect.stringMatching(/Dockerfile:2: RUN --mount needs `docker buildx`, which is not here; install .*\.$/) as string,
      });
    } finally {
      Object.assign(process.env, { HOME: home, PATH: path });
    }
  });

  describe.each(there("buildx"))("with %s", () => {
    it("builds what the classic builder cannot, on the task's own context, and shows nothing of the runner's environment", async () => {
      process.env["FORGE_TEST_SECRET"] = "secret";
      const steps: string[] = [];
      await dockerfile(
        `# syntax=nowhere.invalid/dockerfile:1\nFROM nowhere.invalid/base:1\nARG FORGE_TEST_SECRET\nWORKDIR /app\nCOPY --chmod=755 data tool\nRUN --mount=type=cache,target=/c echo "[$FORGE_TEST_SECRET]" >said && ls -l tool >>said\n`,
      );
      await writeFile(join(folder, "data"), "one");
      await writeFile(join(folder, ".dockerignore"), "");
      const prepared = await provider.prepare({ name, folder }, { onProgress: (line) => steps.push(line) });
      expect(prepared.deviations).toEqual([
        "# syntax=nowhere.invalid/dockerfile:1 could not be pulled; the daemon's own reader of Dockerfiles was used instead.",
        expect.stringContaining("FROM nowhere.invalid/base:1 could not be pulled"),
      ]);
      expect(steps.some((line) => /RUN --mount=type=cache/.test(line))).toBe(true);
      const sandbox = await prepared.create();
      try {
        const { stdout } = await sandbox.exec("cat said tool");
        expect(Buffer.from(stdout).toString()).toMatch(/^\[\]\n-rwxr-xr-x .* tool\none$/);
      } finally {
        await sandbox.close();
      }
      steps.length = 0;
      expect((await provider.prepare({ name, folder }, { onProgress: (line) => steps.push(line) })).digest).toBe(prepared.digest);
      expect(steps).toEqual([]);
    });

    it("says which step failed, and ends in time", async () => {
      await dockerfile(`FROM ${baseImage}\nRUN --mount=type=cache,target=/c echo reading tea leaves && exit 9\n`);
      await expect(provider.prepare({ name, folder })).rejects.toMatchObject({
        name: "ConfigError",
        message: expect.stringMatching(/does not build: .*RUN --mount.*reading tea leaves/) as string,
      });
      await dockerfile(`FROM ${baseImage}\nRUN --mount=type=cache,target=/c sleep 100 # ${name}\n`);
      await expect(provider.prepare({ name, folder, buildTimeoutMs: 2_000 })).rejects.toMatchObject({
        name: "InfraError",
        message: expect.stringContaining("was not built within 2 s") as string,
      });
    });
  });
});
