import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDockerProvider } from "../../../../harness/sandbox/docker/docker-provider.ts";
import type { PreparedEnvironment } from "../../../../harness/sandbox/provider.ts";
import type { Sandbox } from "../../../../harness/sandbox/sandbox.ts";
import { needs } from "../../../needs.ts";

const labels = { job: "test", trial: "snapshot" };
const text = async (sandbox: Sandbox, command: string): Promise<string> =>
  new TextDecoder().decode((await sandbox.exec(command, { cwd: "/" })).stdout).trim();

describe.skipIf(needs("docker"))("a sandbox made from what another one left", { timeout: 120_000 }, () => {
  let folder = "";
  let prepared: PreparedEnvironment;
  let withTools: PreparedEnvironment;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "forge-snapshot-"));
    await mkdir(join(folder, "environment"));
    await writeFile(join(folder, "environment", "Dockerfile"), "FROM forge-base/debian:bookworm\nWORKDIR /app\nRUN echo old > kept.txt\n");
    prepared = await createDockerProvider().prepare({ name: "snapshot", folder: join(folder, "environment") });
    await mkdir(join(folder, "with-tools"));
    const tools =
      "RUN python3 -m venv --without-pip /opt/venv && mkdir /opt/bin && printf '#!/bin/sh\\necho tool\\n' > /opt/bin/tool && chmod 755 /opt/bin/tool";
    const text = `FROM forge-base/debian:bookworm\nWORKDIR /app\n${tools}\nENV PATH=/opt/none/bin:/opt/bin:/opt/venv/bin:$PATH\n`;
    await writeFile(join(folder, "with-tools", "Dockerfile"), text);
    withTools = await createDockerProvider().prepare({ name: "snapshot-tools", folder: join(folder, "with-tools") });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function after(damage: string, look: string, environment = prepared): Promise<string> {
    const left = await environment.create({ labels });
    try {
      await left.exec(damage, { cwd: "/app" });
      await left.endProcesses();
      const made = await environment.createFrom?.(left, { labels, own: [] });
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

  it("is the image where the agent did nothing", async () => {
    expect(await after("true", "cat /app/kept.txt; command -v cmp")).toBe("old\n/usr/bin/cmp");
  });

  describe("by an agent that did much", () => {
    let left: Sandbox;
    let made: Sandbox;
    const from = async (own: string[]): Promise<Sandbox> => {
      const next = await prepared.createFrom?.(left, { labels, own });
      if (!next) throw new Error("a container can be continued");
      return next.sandbox;
    };
    const look = (command: string): Promise<string> => text(made, command);
    // Each is what the test of the same place looks for; the last one takes programs away that the others use.
    const damages = [
      `echo new > kept.txt; mkdir /srv/db; echo x > /srv/db/x; chown 33:33 /srv/db/x; printf '#!/bin/sh\\necho tool\\n' > /usr/local/bin/mytool
      chmod 755 /usr/local/bin/mytool; mkdir -p /usr/local/lib/python3.11/dist-packages/mine; echo 'x = 5' > /usr/local/lib/python3.11/dist-packages/mine/__init__.py`,
      `echo evil > /etc/ssl/openssl.cnf; echo 'exit 0; 1;' > /etc/perl/strict.pm; mkdir -p /etc/perl/Mine; echo 1 > /etc/perl/Mine/Own.pm
      echo x > /usr/share/git-core/templates/hooks/post-checkout; echo x > /usr/local/include/stdio.h; echo x > /usr/local/include/mine.h
      echo x > "$(dirname "$(gcc -print-libgcc-file-name)")/specs"; echo x > /usr/lib/python311.zip; echo x > /usr/bin/pyvenv.cfg; echo x > /hashlib.py
      for f in /var/lib/dpkg/info/*.postinst; do echo evil > "$f"; done; mkdir -p /opt/git/git; echo x > /opt/git/git/config; ln -s /opt/git /root/.config`,
      `useradd -m alice; usermod -aG www-data alice; usermod -aG root nobody; useradd -o -u 0 twin
      sed -i 's/^nobody:x:65534:65534/nobody:x:0:0/' /etc/passwd; sed -i 's/^root:[^:]*:/root::/' /etc/shadow`,
      `cp /usr/bin/id /opt/set; chmod 4755 /opt/set; cp /usr/bin/id /opt/named; chmod 4755 /opt/named; cp /usr/bin/id /opt/able
      python3 -c "import os; os.setxattr('/opt/able', 'security.capability', bytes.fromhex('0100000202000000000000000000000000000000'))"
      chmod 777 / /usr/bin /etc; chown nobody /usr/local/bin; mkfifo /tmp/.p`,
      `printf '#!/bin/sh\\necho mine\\n' > /usr/local/bin/pytest; chmod 755 /usr/local/bin/pytest; echo port 7 > /etc/login.defs`,
      `echo /nowhere.so > /etc/ld.so.preload; echo 'echo planted' >> /etc/profile; echo 'echo planted' > /root/.bash_profile
      printf '#!/bin/sh\\necho planted\\n' > /usr/local/bin/python3; chmod 755 /usr/local/bin/python3
      echo 'print("planted")' > /usr/lib/python3/dist-packages/sitecustomize.py; rm -f /usr/bin/cmp; rm -rf /etc/alternatives
      rm -f /bin/bash; printf '#!/bin/sh\\necho planted\\n' > /bin/bash; chmod 755 /bin/bash`,
    ];
    beforeAll(async () => {
      left = await prepared.create({ labels });
      for (const damage of damages) await left.exec(damage, { cwd: "/app" });
      await left.endProcesses();
      made = await from(["/opt/named", "/usr/local/bin/pytest", "/etc/login.defs"]);
    }, 120_000);
    afterAll(async () => {
      await made?.close();
      await left?.close();
    });

    it("has what the agent wrote and installed, with its owners", async () => {
      expect(await look(`cat /app/kept.txt; stat -c %u /srv/db/x; mytool; python3 -c 'import mine; print(mine.x)'`)).toBe(
        "new\n33\ntool\n5",
      );
    });

    it("has the image's shells, interpreters, loader and profiles, whatever was made of them", async () => {
      expect(
        await look(
          `bash -lc 'echo ok'; python3 -c 'print("py")'; command -v python3; cmp /etc/passwd /etc/passwd && echo same; ls -A /etc/ld.so.preload 2>&1 | tail -c 18; ls /etc/alternatives | head -n 1 | wc -l`,
        ),
      ).toBe("ok\npy\n/usr/bin/python3\nsame\nfile or directory\n1");
    });

    it("has what the image's programs read at their start as the image has it: OpenSSL, Perl, git, a compiler, Python's archive, dpkg", async () => {
      const places = `cd /; ls -d etc/perl/strict.pm etc/perl/Mine/Own.pm usr/share/git-core/templates/hooks/post-checkout usr/local/include/*.h usr/lib/gcc/*/*/specs usr/lib/python311.zip usr/bin/pyvenv.cfg hashlib.py root/.config 2>/dev/null
      grep -lx evil etc/ssl/openssl.cnf var/lib/dpkg/info/*; echo`;
      expect(await look(places)).toBe("etc/perl/Mine/Own.pm\nusr/local/include/mine.h");
    });

    it("has the image's accounts as they were, and those that were added, but none with another's number", async () => {
      const accounts = `id -u nobody; id -nG nobody; id -nG alice; id twin 2>&1 | tail -c 13; grep -c '^root::' /etc/shadow; runuser -u alice -- whoami`;
      expect(await look(accounts)).toBe("65534\nnogroup\nalice www-data\nno such user\n0\nalice");
    });

    it("gives nothing of the agent's another user's rights, and no folder of the system to others", async () => {
      const rights = `stat -c %a /opt/set /opt/named / /usr/bin /etc; stat -c %U /usr/local/bin; stat -c %a /usr/bin/su; python3 -c "import os; print(os.listxattr('/opt/able'))"`;
      expect(await look(rights)).toBe("755\n4755\n755\n755\n755\nroot\n4755\n[]");
    });

    it("leaves declared paths to the agent, where they name such a place and not one above it", async () => {
      expect(await look("pytest; cat /etc/login.defs")).toBe("mine\nport 7");
      const above = await from(["/usr/local"]);
      try {
        expect(await text(above, "command -v pytest; grep -c 'port 7' /etc/login.defs")).toBe("/usr/bin/pytest\n0");
      } finally {
        await above.close();
      }
    });
  });

  it("has true folders where links were put in their place", async () => {
    const damage = `mkdir /opt/tools; printf '#!/bin/sh\\necho planted\\n' > /opt/tools/cmp; chmod 755 /opt/tools/cmp
      cp -a /usr/local/bin/. /opt/tools/; rm -rf /usr/local/bin; ln -s /opt/tools /usr/local/bin; rm -rf /etc/profile.d; ln -s /opt/tools /etc/profile.d
      mkdir -p /tests; ln -s /opt/tools /logs`;
    const look = `[ -L /usr/local/bin ] || echo folder; [ -L /etc/profile.d ] || echo folder; ls -d /tests /logs 2>/dev/null | wc -l; cmp /etc/passwd /etc/passwd && echo same`;
    expect(await after(damage, look)).toBe("folder\nfolder\n0\nsame");
  });

  it("has the programs of the image's own PATH, wherever it leads, and takes none in their names; a virtual environment of the agent's is its own", async () => {
    const fake = (path: string): string =>
      `mkdir -p $(dirname ${path}); rm -f ${path}; printf '#!/bin/sh\\necho planted\\n' > ${path}; chmod 755 ${path}`;
    const damage = [
      ...["/opt/e/bin/python3", "/opt/venv/bin/python3", "/opt/bin/tool", "/opt/bin/cmp", "/opt/bin/mine"].map(fake),
      "ln -s /opt/e /opt/none; s=/opt/venv/lib/python3.11/site-packages; mkdir $s/new; echo 'x = 3' > $s/new/__init__.py; echo 'print(9)' > $s/sitecustomize.py",
      "/usr/bin/python3.11 -m venv --without-pip /srv/own; mkdir /srv/own/lib/python3.11/site-packages/pytest; echo 'x = 4' > /srv/own/lib/python3.11/site-packages/pytest/__init__.py",
    ].join("\n");
    const look = `python3 -c 'import new; print(new.x)'; tool; command -v cmp; mine; /srv/own/bin/python3 -c 'import pytest; print(pytest.x)'`;
    expect(await after(damage, look, withTools)).toBe("3\ntool\n/usr/bin/cmp\nplanted\n4");
  });
});
