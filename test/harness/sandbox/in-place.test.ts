import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createInPlaceSandbox } from "../../../harness/sandbox/in-place-sandbox.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { needs } from "../../needs.ts";

describe.each([
  { kind: "local" as const, skip: false },
  { kind: "bubblewrap" as const, skip: needs("bubblewrap") },
])("working in a folder in place ($kind)", ({ kind, skip }) => {
  let folder: string;
  let sandbox: Sandbox;
  const out = async (command: string) =>
    Buffer.from((await sandbox.exec(command)).stdout)
      .toString()
      .trim();
  beforeEach(async () => {
    if (skip) return;
    folder = await mkdtemp(join(tmpdir(), "in place-"));
    await writeFile(join(folder, "file"), "before");
    sandbox = await createInPlaceSandbox(folder, { kind });
  });
  afterEach(async () => {
    await sandbox?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.skipIf(skip)("changes the folder itself, at its own path, and leaves it when it is closed", async () => {
    expect(sandbox.workdir).toBe(folder);
    expect(await out("pwd; cat file; echo after >file")).toBe(`${folder}\nbefore`);
    await sandbox.writeFile("new/file", Buffer.from("x"));
    await sandbox.close();
    expect(await readFile(join(folder, "file"), "utf8")).toBe("after\n");
    expect((await readdir(folder)).sort()).toEqual(["file", "new"]);
  });

  it.skipIf(skip)("gives commands no key of this machine's environment", async () => {
    process.env["FORGE_TEST_API_KEY"] = "secret";
    try {
      expect(await out("env | grep -c secret")).toBe("0");
    } finally {
      delete process.env["FORGE_TEST_API_KEY"];
    }
  });
});

describe.skipIf(needs("bubblewrap"))("working in a folder in place, confined", () => {
  it("can read what the harness keeps in the folder and change none of it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "confined-"));
    await mkdir(join(folder, ".forge"));
    await writeFile(join(folder, ".forge", "config.yaml"), "limits: {turns: 3}\n");
    const sandbox = await createInPlaceSandbox(folder, { kind: "bubblewrap" });
    try {
      expect((await sandbox.exec("cat .forge/config.yaml && echo x >ok.txt")).exitCode).toBe(0);
      expect((await sandbox.exec("echo x >.forge/config.yaml")).exitCode).not.toBe(0);
      expect((await sandbox.exec("mv .forge elsewhere || rm -rf .forge/config.yaml")).exitCode).not.toBe(0);
      expect(await readFile(join(folder, ".forge", "config.yaml"), "utf8")).toBe("limits: {turns: 3}\n");
    } finally {
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("shows it where it is below /dev, which is otherwise the sandbox's own", async () => {
    const folder = await mkdtemp("/dev/shm/confined-");
    const sandbox = await createInPlaceSandbox(folder, { kind: "bubblewrap" });
    try {
      await sandbox.exec("echo done >file; ls /dev /dev/shm >devices");
      expect(await readFile(join(folder, "file"), "utf8")).toBe("done\n");
      expect((await readFile(join(folder, "devices"), "utf8")).split("\n")).not.toContain("kmsg");
    } finally {
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("can write nowhere else, keeps /tmp to itself, and reaches neither network nor sockets of daemons", async () => {
    const folder = await mkdtemp(join(tmpdir(), "confined-"));
    const sandbox = await createInPlaceSandbox(folder, { kind: "bubblewrap" });
    const out = async (command: string) =>
      Buffer.from((await sandbox.exec(command)).stdout)
        .toString()
        .trim();
    try {
      const outside = join(homedir(), `forge-in-place-${process.pid}`);
      expect((await sandbox.exec(`echo x >'${outside}'`)).exitCode).not.toBe(0);
      expect((await sandbox.exec("echo x >/etc/forge-in-place")).exitCode).not.toBe(0);
      expect(existsSync(outside)).toBe(false);
      expect(await out("echo mine >/tmp/forge-in-place-tmp; cat /tmp/forge-in-place-tmp")).toBe("mine");
      expect(existsSync("/tmp/forge-in-place-tmp")).toBe(false);
      expect(await out("grep -o '^ *[a-z0-9]*:' /proc/net/dev | tr -d ' '")).toBe("lo:");
      expect((await sandbox.exec("test -e /var/run/docker.sock || test -e /run/docker.sock")).exitCode).toBe(1);
    } finally {
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

it("says which folder is missing", async () => {
  await expect(createInPlaceSandbox("/nowhere/at/all", { kind: "local" })).rejects.toThrow("The folder /nowhere/at/all does not exist");
});
