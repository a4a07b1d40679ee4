import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { takeCheckpoint } from "../../../../harness/sandbox/workspace/checkpoint.ts";
import { needs } from "../../../needs.ts";

const made: string[] = [];
afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
});
async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "forge-checkpoint-"));
  made.push(path);
  return path;
}

describe.skipIf(needs("git"))("a checkpoint", () => {
  it("brings back what was changed and removed", async () => {
    const path = await folder();
    await writeFile(join(path, "a.txt"), "before");
    const { restore } = await takeCheckpoint(path, "first");
    await rm(join(path, "a.txt"));
    execFileSync("sh", ["-c", restore], { cwd: path });
    expect(await readFile(join(path, "a.txt"), "utf8")).toBe("before");
  });

  it("runs no program that a git folder found in the repository names", async () => {
    const path = await folder();
    const shadow = join(path, ".forge", "shadow.git");
    await mkdir(join(path, ".forge"), { recursive: true });
    execFileSync("git", ["init", "-q", "--bare", shadow]);
    const hostile = `#!/bin/sh\ntouch ${join(path, "ran")}\n`;
    await writeFile(join(shadow, "config"), `[core]\n\tbare = true\n\tfsmonitor = "touch ${join(path, "ran")}"\n`);
    await mkdir(join(shadow, "hooks"), { recursive: true });
    await writeFile(join(shadow, "hooks", "post-commit"), hostile, { mode: 0o755 });
    await writeFile(join(path, "a.txt"), "1");
    await takeCheckpoint(path, "first");
    expect(existsSync(join(path, "ran"))).toBe(false);
  });

  it("is not written through a link", async () => {
    const path = await folder();
    const elsewhere = await folder();
    execFileSync("git", ["init", "-q", "--bare", elsewhere]);
    const config = await readFile(join(elsewhere, "config"), "utf8");
    await mkdir(join(path, ".forge"));
    await symlink(elsewhere, join(path, ".forge", "shadow.git"));
    await expect(takeCheckpoint(path, "first")).rejects.toThrow(/is a link; remove it/);
    expect(await readFile(join(elsewhere, "config"), "utf8")).toBe(config);
  });
});
