import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDockerProvider } from "../../harness/sandbox/docker/docker-provider.ts";
import type { PreparedEnvironment } from "../../harness/sandbox/provider.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import { needs } from "../needs.ts";

const labels = { job: "test", trial: "snapshot" };
const text = async (sandbox: Sandbox, command: string): Promise<string> =>
  new TextDecoder().decode((await sandbox.exec(command, { cwd: "/" })).stdout).trim();

describe.skipIf(needs("docker"))("a sandbox made from what another one left", () => {
  let folder = "";
  let prepared: PreparedEnvironment;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "forge-snapshot-"));
    await mkdir(join(folder, "environment"));
    await writeFile(join(folder, "environment", "Dockerfile"), "FROM forge-base/debian:bookworm\nWORKDIR /app\nRUN echo old > kept.txt\n");
    prepared = await createDockerProvider().prepare({ name: "snapshot", folder: join(folder, "environment") });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function after(damage: string, look: string, own: string[] = []): Promise<string> {
    const left = await prepared.create({ labels });
    try {
      await left.exec(damage, { cwd: "/app" });
      await left.endProcesses();
      const made = await prepared.createFrom?.(left, { labels, own });
      if (!made) throw new Error("a container can be continued");
      try {
        return await text(made.sandbox, look);
      } finally {
        await made.sandbox.close();
      }
    } finally {
      await left.close();
    }
  }

  it("has what the agent wrote and installed, with its owners", async () => {
    const damage = `echo new > kept.txt; mkdir /srv/db; echo x > /srv/db/x; chown 33:33 /srv/db/x; printf '#!/bin/sh\\necho tool\\n' > /usr/local/bin/mytool
      chmod 755 /usr/local/bin/mytool; mkdir -p /usr/local/lib/python3.11/dist-packages/mine; echo 'x = 5' > /usr/local/lib/python3.11/dist-packages/mine/__init__.py`;
    expect(await after(damage, `cat /app/kept.txt; stat -c %u /srv/db/x; mytool; python3 -c 'import mine; print(mine.x)'`)).toBe(
      "new\n33\ntool\n5",
    );
  });

  it("has the image's shells, interpreters, loader and profiles, whatever was made of them", async () => {
    const damage = `echo /nowhere.so > /etc/ld.so.preload; echo 'echo planted' >> /etc/profile; echo 'echo planted' > /root/.bash_profile
      printf '#!/bin/sh\\necho planted\\n' > /usr/local/bin/python3; chmod 755 /usr/local/bin/python3
      echo 'print("planted")' > /usr/lib/python3/dist-packages/sitecustomize.py; rm -f /usr/bin/cmp; rm -rf /etc/alternatives
      rm -f /bin/bash; printf '#!/bin/sh\\necho planted\\n' > /bin/bash; chmod 755 /bin/bash`;
    const look = `bash -lc 'echo ok'; python3 -c 'print("py")'; command -v python3; cmp /etc/passwd /etc/passwd && echo same; ls -A /etc/ld.so.preload 2>&1 | tail -c 18; ls /etc/alternatives | head -n 1 | wc -l`;
    expect(await after(damage, look)).toBe("ok\npy\n/usr/bin/python3\nsame\nfile or directory\n1");
  });

  it("has true folders where links were put in their place", async () => {
    const damage = `mkdir /opt/tools; printf '#!/bin/sh\\necho planted\\n' > /opt/tools/cmp; chmod 755 /opt/tools/cmp
      cp -a /usr/local/bin/. /opt/tools/; rm -rf /usr/local/bin; ln -s /opt/tools /usr/local/bin; rm -rf /etc/profile.d; ln -s /opt/tools /etc/profile.d
      mkdir -p /tests; ln -s /opt/tools /logs`;
    const look = `[ -L /usr/local/bin ] || echo folder; [ -L /etc/profile.d ] || echo folder; ls -d /tests /logs 2>/dev/null | wc -l; cmp /etc/passwd /etc/passwd && echo same`;
    expect(await after(damage, look)).toBe("folder\nfolder\n0\nsame");
  });

  it("leaves declared paths to the agent", async () => {
    const damage = `printf '#!/bin/sh\\necho mine\\n' > /usr/local/bin/pytest; chmod 755 /usr/local/bin/pytest`;
    expect(await after(damage, "pytest", ["/usr/local/bin/pytest"])).toBe("mine");
    expect(await after(damage, "command -v pytest")).toBe("/usr/bin/pytest");
  });
});
