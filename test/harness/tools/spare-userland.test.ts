import { chmod, mkdir, mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { toolContract } from "./contract.ts";
import { createHostSandbox } from "./host-sandbox.ts";

/** What a small image has: no bash, no ripgrep and no way to put it there, and a find without -printf. */
const programs =
  "sh cat chmod cksum cp env grep head ln ls mkdir mktemp mv readlink rm sed seq sleep sort tail touch tr wc xargs true false pwd stat";

async function createSpare(): Promise<Sandbox> {
  const bin = await realpath(await mkdtemp(join(tmpdir(), "forge-bin-")));
  await mkdir(bin, { recursive: true });
  const where = (name: string): string => spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
  for (const name of programs.split(" ")) {
    const path = where(name);
    if (path.startsWith("/")) await symlink(path, join(bin, name));
  }
  await writeFile(
    join(bin, "find"),
    `#!/bin/sh\nfor word; do [ "$word" = -printf ] && { echo "find: unrecognized: -printf" >&2; exit 1; }; done\nexec ${where("find")} "$@"\n`,
  );
  await chmod(join(bin, "find"), 0o755);
  const sandbox = await createHostSandbox({ path: bin });
  return {
    ...sandbox,
    kind: "docker",
    exec: (command, { shell: _, ...o } = {}) => sandbox.exec(command, o),
    upload: () => Promise.reject(new Error("read-only file system")),
  };
}

toolContract("a small userland", createSpare);
