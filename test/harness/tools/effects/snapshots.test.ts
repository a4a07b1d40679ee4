import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Sandbox } from "../../../../harness/sandbox/sandbox.ts";
import { snapshotBounds } from "../../../../harness/tools/effects/snapshots.ts";
import { bench, type Bench } from "../call-tool.ts";
import { createHostSandbox } from "../host-sandbox.ts";

const opened: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of opened.splice(0)) await sandbox.close();
});

/** Tools on a fresh folder, made by `command`; what was asked of the sandbox beside. */
async function tools(command = "true", path?: string): Promise<Bench & { sandbox: Sandbox; reads: () => number }> {
  const sandbox = await createHostSandbox(path === undefined ? {} : { path });
  opened.push(sandbox);
  await sandbox.exec(command);
  let reads = 0;
  const counting: Sandbox = {
    ...sandbox,
    exec(line, o) {
      if (line.includes("-exec sha256sum")) reads++;
      return sandbox.exec(line, o);
    },
  };
  return { ...bench(counting, { snapshots: true }), sandbox, reads: () => reads };
}
const bash = async (b: Bench, command: string) => (await b.call("bash", { command })).snapshot;

describe("a snapshot after a call", () => {
  it("says what the workdir holds and which paths changed, and is left out where the call changed nothing", async () => {
    const b = await tools("echo a > a; echo b > b");
    expect(await bash(b, "cat a")).toBeUndefined();
    const wrote = await bash(b, "echo c > c; echo aa > a; rm b");
    expect(wrote).toMatchObject({ t: "fs.snapshot", d: { files: 2, changed: ["a", "c"], removed: ["b"] } });
    expect(await bash(b, "true")).toBeUndefined();
    expect(await bash(b, "touch a")).toBeUndefined(); // another time, the same content
    expect((await b.call("read", { path: "a" })).snapshot).toBeUndefined();
  });

  it("has the same hash for the same content, however it came about, and another one for another content, mode, name or link", async () => {
    const trees = new Set<unknown>();
    const first = await tools("echo x > 'a b'; ln -s 'a b' link");
    const one = await bash(first, "printf y > \"$(printf 'new\\nline')\"; printf z > 'back\\slash'; mkdir d; echo 1 > d/f");
    const second = await tools("mkdir d; echo 2 > d/f; ln -s else link; echo x > 'a b'");
    await bash(second, "echo 1 > d/f; ln -sfn 'a b' link; printf nothing > \"$(printf 'new\\nline')\"");
    const two = await bash(second, "printf y > \"$(printf 'new\\nline')\"; printf z > 'back\\slash'");
    expect(two?.d["tree"]).toBe(one?.d["tree"]);
    trees.add(one?.d["tree"]);
    for (const change of ["chmod +x d/f", "mv d/f d/g", "ln -sfn d link", "printf Y > \"$(printf 'new\\nline')\""])
      trees.add((await bash(first, change))?.d["tree"]);
    expect(trees.size).toBe(5);
    await bash(first, "chmod -x d/g; mv d/g d/f; ln -sfn 'a b' link");
    const back = await bash(first, "printf y > \"$(printf 'new\\nline')\"");
    expect(back?.d["tree"]).toBe(one?.d["tree"]);
  });

  it("is the same where find tells no times: content is compared then", async () => {
    const spare = mkdtempSync(join(tmpdir(), "forge-spare-"));
    const real = execFileSync("sh", ["-c", "command -v find"], { encoding: "utf8" }).trim();
    writeFileSync(join(spare, "find"), `#!/bin/sh\nfor word; do [ "$word" = -printf ] && exit 1; done\nexec ${real} "$@"\n`, {
      mode: 0o755,
    });
    const b = await tools("echo a > a; ln -s a l", `${spare}:${process.env["PATH"] ?? ""}`);
    expect(await bash(b, "touch a")).toBeUndefined();
    const first = await bash(b, "echo b > b; rm l");
    expect(first).toMatchObject({ t: "fs.snapshot", d: { files: 2, changed: ["b"], removed: ["l"] } });
    await bash(b, "echo c > b");
    expect((await bash(b, "echo b > b"))?.d["tree"]).toBe(first?.d["tree"]);
    rmSync(spare, { recursive: true });
  });

  it("reads everything once and then only what changed", async () => {
    const b = await tools("mkdir d; cd d; seq 400 | while read n; do echo $n > $n; done");
    await bash(b, "true");
    await bash(b, "true");
    expect(b.reads()).toBe(1);
    await bash(b, "echo x > x");
    expect(b.reads()).toBe(2);
    expect((await bash(b, "for n in d/*; do echo y > $n; done"))?.d).toMatchObject({ counts: { changed: 400, removed: 0 } });
    expect(b.reads()).toBe(3);
  });

  it("counts a large file by its size, and never follows a link or waits on a pipe", async () => {
    const large = snapshotBounds.fileBytes + 1;
    const b = await tools(`truncate -s ${large} large; ln -s /dev/zero zero; mkfifo pipe`);
    await bash(b, "true");
    expect(await bash(b, "printf x | dd of=large conv=notrunc 2>/dev/null")).toBeUndefined();
    expect(await bash(b, `truncate -s ${large + 1} large`)).toMatchObject({ t: "fs.snapshot", d: { changed: ["large"] } });
  });

  it("is no longer taken, and says so once, where the tree is larger than what may be read", async () => {
    const each = snapshotBounds.fileBytes;
    const b = await tools(`for n in 1 2 3 4 5 6 7 8 9; do truncate -s ${each} $n; done`);
    const said = await bash(b, "echo x > x");
    expect(said).toMatchObject({ t: "note", d: { text: expect.stringContaining("more than 128 MiB") as unknown } });
    expect(await bash(b, "echo y > y")).toBeUndefined();
    expect(b.reads()).toBe(0);
  });
});
