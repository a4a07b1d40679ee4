import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { baseImage } from "../../../../../harness/sandbox/docker/image/base-image.ts";
import { connect, daemonAnswers } from "../../../../../harness/sandbox/docker/daemon/connection.ts";
import { createDockerProvider } from "../../../../../harness/sandbox/docker/docker-provider.ts";
import { needs } from "../../../../needs.ts";

/** In place of the `ssh` program: notes its arguments and runs the command here instead of there. */
const nearby = `#!/bin/sh
echo "$*" >> "$(dirname "$0")/calls"
case "$*" in *unreachable*) echo "ssh: no route to unreachable" >&2; exit 255;; esac
while [ "$1" != docker ]; do shift; done
exec "$@"
`;
const path = process.env["PATH"];
let folder = "";

describe.skipIf(needs("docker"))("a daemon behind ssh", () => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "forge-ssh-"));
    await writeFile(join(folder, "ssh"), nearby);
    await chmod(join(folder, "ssh"), 0o755);
    process.env["PATH"] = `${folder}:${path}`;
  });
  afterEach(async () => {
    process.env["PATH"] = path;
    await rm(folder, { recursive: true, force: true });
  });

  it("runs containers and commands in them, through the user's own ssh, which never asks for a password", async () => {
    const provider = createDockerProvider({ connection: { host: "ssh://me@machine:2222" } });
    const prepared = await provider.prepare({ name: "ssh", image: baseImage });
    const sandbox = await prepared.create();
    try {
      const { exitCode, stdout } = await sandbox.exec("echo through ssh");
      expect([exitCode, Buffer.from(stdout).toString()]).toEqual([0, "through ssh\n"]);
    } finally {
      await sandbox.close();
    }
    const [call] = (await readFile(join(folder, "calls"), "utf8")).split("\n");
    expect(call).toBe("-o BatchMode=yes -o ConnectTimeout=10 -T -l me -p 2222 -- machine docker system dial-stdio");
  });

  it("that cannot be reached is told with what ssh said", async () => {
    const connection = { host: "ssh://unreachable" };
    expect(await daemonAnswers(connect(connection), connection)).toMatch(
      /^The Docker daemon at ssh:\/\/unreachable cannot be reached \(.*no route to unreachable/,
    );
  });
});
