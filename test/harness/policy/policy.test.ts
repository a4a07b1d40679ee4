import { mkdir, realpath, symlink, writeFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPolicy } from "../../../harness/policy/policy.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { bench } from "../tools/call-tool.ts";
import { createHostSandbox } from "../tools/host-sandbox.ts";

let sandbox: Sandbox;
let outside: string;
let root: string;
beforeAll(async () => {
  sandbox = await createHostSandbox();
  root = sandbox.workdir;
  outside = await realpath(await mkdtemp(join(tmpdir(), "forge-outside-")));
  await writeFile(join(outside, "secret"), "s\n");
  await mkdir(join(root, "dir"));
  await mkdir(join(root, ".git"));
  await writeFile(join(root, "dir/in"), "i\n");
  await symlink(outside, join(root, "door"));
  await symlink(join(outside, "secret"), join(root, "window"));
  await symlink(join(outside, "not-there-yet"), join(root, "dangling"));
  await symlink("dir", join(root, "inner"));
  await symlink("loop", join(root, "loop"));
});
afterAll(async () => {
  await sandbox.close();
  await rm(outside, { recursive: true, force: true });
});

const policy = (): ReturnType<typeof createPolicy> => createPolicy({ mode: "auto", confined: false, root });
const inRoot = () => bench(sandbox, { policy: policy() });

describe("file tools with a root", () => {
  it.each(["/etc/passwd", "../x", "dir/../../x", "door/secret", "window", "door", "door/new/deep", "inner/../../x", "loop"])(
    "refuse to read %s",
    async (path) => {
      const reply = await inRoot().call("read", { path });
      expect(reply).toMatchObject({ status: "denied", error: "denied" });
      expect(reply.text).not.toContain("root:");
    },
  );

  it.each(["dangling", "door/new", "window", "/tmp/forge-outside-direct", "a/../../b"])("refuse to write %s", async (path) => {
    expect(await inRoot().call("write", { path, content: "x" })).toMatchObject({ status: "denied" });
    expect(await inRoot().call("edit", { path, old_string: "s", new_string: "x" })).toMatchObject({ status: "denied" });
  });

  it("refuse to search outside", async () => {
    expect(await inRoot().call("grep", { pattern: "s", path: "door" })).toMatchObject({ status: "denied" });
    expect(await inRoot().call("glob", { pattern: "*", path: ".." })).toMatchObject({ status: "denied" });
    expect(await inRoot().call("list_dir", { path: "/" })).toMatchObject({ status: "denied" });
  });

  it("work inside, through links that stay inside too", async () => {
    expect(await inRoot().call("read", { path: "dir/in" })).toMatchObject({ status: "ok" });
    expect(await inRoot().call("read", { path: "inner/in" })).toMatchObject({ status: "ok" });
    expect(await inRoot().call("write", { path: "new/deep/file", content: "x" })).toMatchObject({ status: "ok" });
    expect(await inRoot().call("list_dir", {})).toMatchObject({ status: "ok" });
  });

  it("do not take a folder whose name begins like the root for inside", async () => {
    const decision = await policy().judge(
      { tool: "read", readOnly: true, runsCommands: false, paths: [`${root}-other/x`], summary: "" },
      sandbox,
      new AbortController().signal,
    );
    expect(decision.type).toBe("deny");
  });

  it("fail closed when the sandbox cannot resolve a path", async () => {
    const broken: Sandbox = {
      ...sandbox,
      exec: async () => ({ status: "exited", exitCode: 127, stdout: new Uint8Array(), stderr: new Uint8Array(), dropped: 0 }),
    };
    const request = { tool: "read", readOnly: true, runsCommands: false, paths: [`${root}/dir/in`], summary: "" };
    expect((await policy().judge(request, broken, new AbortController().signal)).type).toBe("deny");
  });

  it("may read what the harness has put aside for them, and not write there", async () => {
    const request = { tool: "read", readOnly: true, runsCommands: false, paths: [`${outside}/secret`], summary: "", scratch: outside };
    expect((await policy().judge(request, sandbox, new AbortController().signal)).type).toBe("allow");
    expect((await policy().judge({ ...request, readOnly: false }, sandbox, new AbortController().signal)).type).toBe("deny");
  });

  it("change nothing of the harness's own, through a link neither, whatever the person would say; reading it is allowed", async () => {
    await mkdir(join(root, ".forge"), { recursive: true });
    await writeFile(join(root, ".forge/settings.local.yaml"), "limits: {turns: 3}\n");
    await symlink(".forge", join(root, "innocent"));
    const willing = bench(sandbox, { policy: policy(), answer: "yes" });
    for (const path of [".forge/settings.local.yaml", ".forge/shadow.git/config", "innocent/new.yaml", "forge.yaml"])
      expect(await willing.call("write", { path, content: "x" }), path).toMatchObject({ status: "denied" });
    expect(await inRoot().call("read", { path: ".forge/settings.local.yaml" })).toMatchObject({ status: "ok" });
  });

  it("ask before they change git's own files", async () => {
    expect(await inRoot().call("write", { path: ".git/hooks/pre-commit", content: "x" })).toMatchObject({ status: "denied" });
    expect(await bench(sandbox, { policy: policy(), answer: "yes" }).call("write", { path: ".git/x", content: "x" })).toMatchObject({
      status: "ok",
    });
  });

  it("read spilled output below a root", async () => {
    const b = bench(sandbox, { policy: policy(), maxChars: 50 });
    const reply = await b.call("bash", { command: "seq 100" });
    const path = /is in (\S+)\. /.exec(reply.text)?.[1] ?? "";
    expect(await b.call("read", { path })).toMatchObject({ status: "ok" });
  });
});

describe("modes", () => {
  const request = { tool: "bash", readOnly: false, runsCommands: true, paths: [], summary: "make" };
  const decide = (mode: "ask" | "auto" | "bypass", confined = true) =>
    createPolicy({ mode, confined }).judge(request, sandbox, new AbortController().signal);
  it("ask for commands, or not", async () => {
    expect(await decide("ask")).toEqual({ type: "ask", question: "Run in the sandbox: make" });
    expect(await decide("ask", false)).toEqual({ type: "ask", question: "Run unconfined, with your rights: make" });
    expect(await decide("auto")).toEqual({ type: "allow" });
    expect(await decide("bypass")).toEqual({ type: "allow" });
  });

  it("bypass needs no root", async () => {
    const all = createPolicy({ mode: "bypass", confined: true, root });
    expect((await all.judge({ ...request, paths: ["/etc/passwd"] }, sandbox, new AbortController().signal)).type).toBe("allow");
  });
});
