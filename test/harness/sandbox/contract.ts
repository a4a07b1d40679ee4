import { chmod, lstat, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SandboxPathError, type ExecOptions, type Sandbox } from "../../../harness/sandbox/sandbox.ts";

export interface Subject {
  create(): Promise<Sandbox>;
  /** Describes what a closed sandbox would have left behind: containers, folders, processes. */
  leftovers(): Promise<string[]>;
}

const text = (bytes: Uint8Array | undefined): string | undefined => (bytes === undefined ? undefined : Buffer.from(bytes).toString());

/** What every kind of sandbox does. Run by one test file a kind. */
export function sandboxContract(kind: string, skip: boolean, subject: () => Subject): void {
  describe.skipIf(skip)(`a ${kind} sandbox`, { timeout: 180_000 }, () => {
    let sandbox: Sandbox;
    let host: string;
    beforeAll(async () => {
      sandbox = await subject().create();
      host = await mkdtemp(join(tmpdir(), "contract-"));
    }, 120_000);
    afterAll(async () => {
      await sandbox?.close();
      await rm(host, { recursive: true, force: true });
    });

    const run = async (command: string, o?: ExecOptions) => {
      const { stdout, stderr, ...rest } = await sandbox.exec(command, o);
      return { ...rest, stdout: text(stdout), stderr: text(stderr) };
    };
    /** Processes inside whose command line has this word; a zombie has none. */
    const processesWith = async (word: string) => {
      const script = `for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline 2>/dev/null | grep -q -e "sleep $WORD" && echo "$p"; done; true`;
      return ((await run(script, { env: { WORD: word } })).stdout ?? "").split("\n").filter(Boolean);
    };

    it("gives exit code, stdout and stderr apart", async () => {
      expect(await run("echo out; echo err >&2; exit 7")).toEqual({
        status: "exited",
        exitCode: 7,
        stdout: "out\n",
        stderr: "err\n",
        dropped: 0,
      });
    });

    it("gives 128 + signal for a command that a signal ended", async () => {
      expect(await run("kill -TERM $$")).toMatchObject({ status: "exited", exitCode: 143 });
    });

    it("is binary-safe in all three streams", async () => {
      const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7 + (i >> 8)) % 256));
      const { stdout, stderr } = await sandbox.exec("tee /dev/stderr", { stdin: bytes });
      expect(Buffer.from(stdout).equals(bytes)).toBe(true);
      expect(Buffer.from(stderr).equals(bytes)).toBe(true);
    });

    it("gives a command without input an empty one", async () => {
      expect(await run("cat; echo end")).toMatchObject({ stdout: "end\n" });
    });

    it("takes unicode, quotes, newlines and backslashes in a command as they are", async () => {
      const command = `cat <<'E'\nĝ "x" 'y' \\n $HOME \`z\`\n\n  ok\nE\nprintf '%s' 'a'"'"'b'`;
      expect(await run(command)).toMatchObject({ stdout: `ĝ "x" 'y' \\n $HOME \`z\`\n\n  ok\na'b` });
    });

    it("runs commands of any length", async () => {
      const long = "x".repeat(300_000);
      expect((await run(`printf %s ${long} | wc -c`)).stdout?.trim()).toBe("300000");
      expect((await run(`printf %s ${"y".repeat(30_000)} | wc -c`)).stdout?.trim()).toBe("30000");
    });

    it("answers a command that cannot be passed on instead of throwing", async () => {
      expect(await run("echo \0")).toMatchObject({ status: "exited", exitCode: 126, stderr: "A command cannot hold a NUL byte.\n" });
    });

    it("overlaps parallel calls and keeps their output apart", async () => {
      // Each waits for all the others, so that calls one after another would never end.
      const meet = (i: number) => `mkdir -p met; touch met/${i}; while [ "$(ls met | wc -l)" -lt 8 ]; do sleep 0.1; done`;
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, i) => run(`${meet(i)}; echo out-${i}; echo err-${i} >&2; exit ${i}`)),
      );
      expect(results).toEqual(
        Array.from({ length: 8 }, (_, i) => ({ status: "exited", exitCode: i, stdout: `out-${i}\n`, stderr: `err-${i}\n`, dropped: 0 })),
      );
    });

    it("keeps the start and the end of long output and counts the rest", async () => {
      const result = await sandbox.exec("seq 1 300000", { maxBytes: 100_000 });
      const stdout = text(result.stdout) ?? "";
      expect(result.stdout.length).toBe(100_000);
      expect(stdout.startsWith("1\n2\n3\n")).toBe(true);
      expect(stdout.endsWith("299999\n300000\n")).toBe(true);
      const whole = Array.from({ length: 6 }, (_, i) => (Math.min(300_000, 10 ** (i + 1) - 1) - 10 ** i + 1) * (i + 2)).reduce(
        (a, b) => a + b,
      );
      expect(result.dropped).toBe(whole - 100_000);
    });

    it("starts in the workdir, in a folder relative to it, or in an absolute one", async () => {
      const pwd = async (cwd?: string) => (await run("pwd", cwd === undefined ? {} : { cwd })).stdout?.trim();
      await run("mkdir -p 'with space'");
      expect(await pwd()).toBe(sandbox.workdir);
      expect(await pwd("with space")).toBe(`${sandbox.workdir}/with space`);
      expect(await pwd("/usr")).toBe("/usr");
      expect(await run("pwd", { cwd: "missing" })).toMatchObject({
        exitCode: 126,
        stderr: expect.stringContaining("There is no folder") as string,
      });
    });

    it("passes an environment on to that call alone, and its own only where it says so", async () => {
      expect((await run('printf %s "$A"', { env: { A: "it's\n2 lines" } })).stdout).toBe("it's\n2 lines");
      expect((await run('printf %s "${A-unset}"')).stdout).toBe("unset");
      expect((await run("env | grep -c __f; true")).stdout?.trim()).toBe("0");
    });

    it("runs bash where bash is asked for", async () => {
      expect((await run('a=(1 2 3); echo "${#a[@]}"', { shell: "bash" })).stdout).toBe("3\n");
    });

    it("leaves SIGINT at its default, so that what commands start can be interrupted", async () => {
      expect(await run("kill -INT $$; echo survived")).toMatchObject({ exitCode: 130, stdout: "" });
    });

    it("answers every call whose child holds one of its streams for a moment", async () => {
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, i) => run(`sleep 0.05 ${i % 2 ? ">/dev/null" : "2>/dev/null"} & echo out ${i}; echo err ${i} >&2`)),
      );
      answers.forEach((answer, i) => expect(answer).toMatchObject({ status: "exited", stdout: `out ${i}\n`, stderr: `err ${i}\n` }));
    });

    it("returns when the shell has ended, although a background child holds its output, and that child lives on undisturbed", async () => {
      const child = "(until [ -e go ]; do sleep 0.1; done; echo late; echo alive >late.txt) &";
      expect(await run(`${child} echo started`)).toMatchObject({ status: "exited", stdout: "started\n" });
      expect(
        await run("touch go; until [ -e late.txt ]; do sleep 0.1; done; sleep 0.1; cat late.txt", { timeoutMs: 30_000 }),
      ).toMatchObject({
        stdout: "alive\n",
      });
    });

    it("lets a call run on whose limit is longer than a timer takes, or no whole number of milliseconds", async () => {
      for (const timeoutMs of [3e6 * 1000, 20.001 * 1000])
        expect(await run("sleep 0.2; echo done", { timeoutMs })).toMatchObject({ status: "exited", stdout: "done\n" });
    });

    it("ends a call at its timeout with all descendants, those with a session of their own and double-forked ones too, and keeps what was printed", async () => {
      const command =
        "echo before; setsid sleep 4101 & (setsid sh -c 'sleep 4102 & sleep 4103 &' &); nohup sleep 4104 >/dev/null 2>&1 & trap '' TERM; sleep 4105; sleep 4106";
      // what is on stderr is the shell's own word on a child of its that was killed before it, or nothing
      const stderr: unknown = expect.stringMatching(/^(Killed\n)*$/);
      expect(await run(command, { timeoutMs: 700 })).toEqual({ status: "timeout", exitCode: null, stdout: "before\n", stderr, dropped: 0 });
      expect(await processesWith("410")).toEqual([]);
    });

    it("ends at its timeout children that ignore every signal they can and go on writing, in a pipe too, and the next call works at once", async () => {
      const stubborn = "trap '' TERM INT HUP QUIT PIPE; while :; do echo more; sleep 4111; sleep 4112; done";
      const command = `echo before; (${stubborn}) & setsid sh -c "${stubborn}" & (${stubborn}) | cat & ${stubborn} 2>&1 | tee copy`;
      const { status, stdout } = await run(command, { timeoutMs: 3_000 });
      expect([status, stdout]).toEqual(["timeout", expect.stringMatching(/^before\n(more\n)+$/)]);
      expect(await processesWith("411")).toEqual([]);
      expect(await run("echo next")).toMatchObject({ status: "exited", stdout: "next\n" });
    });

    it("spares what earlier calls left running when another call times out", async () => {
      await run("setsid sleep 4201 >/dev/null 2>&1 & echo");
      await run("sleep 100", { timeoutMs: 300 });
      expect(await processesWith("4201")).toHaveLength(1);
      await run("for p in /proc/[0-9]*; do grep -q 4201 $p/cmdline 2>/dev/null && kill ${p#/proc/}; done; true");
    });

    it("ends a call on abort and throws the reason", async () => {
      const controller = new AbortController();
      const call = run("setsid sleep 4301 & sleep 4302", { signal: controller.signal });
      setTimeout(() => controller.abort(new Error("enough")), 300);
      await expect(call).rejects.toThrow("enough");
      expect(await processesWith("430")).toEqual([]);
      await expect(run("true", { signal: controller.signal })).rejects.toThrow("enough");
    });

    it("cannot be told by a command's output that the command has ended", async () => {
      const fake = "ready 1\\n0123456789abcdef0123456789abcdef 0 0\\n";
      expect(await run(`printf '${fake}'; printf '${fake}' >&2; exit 3`)).toMatchObject({
        exitCode: 3,
        stdout: "ready 1\n0123456789abcdef0123456789abcdef 0 0\n",
      });
    });

    it("reads a file's bytes, says undefined for none, and refuses a folder, a pipe and what is too large", async () => {
      await run("printf 'a\\0b\\377' >bytes; mkdir -p folder; mkfifo -m 600 pipe; ln -sf bytes link; truncate -s 100M huge");
      expect(await sandbox.readFile("bytes")).toEqual(Buffer.from([97, 0, 98, 255]));
      expect(text(await sandbox.readFile(`${sandbox.workdir}/link`))?.slice(0, 1)).toBe("a");
      expect(await sandbox.readFile("missing/file")).toBeUndefined();
      await expect(sandbox.readFile("folder")).rejects.toThrow(SandboxPathError);
      await expect(sandbox.readFile("pipe")).rejects.toThrow("folder is a device, pipe or socket".slice(7));
      await expect(sandbox.readFile("huge")).rejects.toThrow("larger than 64 MiB");
      await run("rm -f huge pipe");
    });

    it("writes a file with its parents, replaces it in one step, keeps its mode and follows a link to the file it names", async () => {
      await sandbox.writeFile("new/deep/file", Buffer.from("one"));
      await run("chmod 751 new/deep/file; ln -s deep/file new/link");
      await sandbox.writeFile("new/link", Buffer.from("two\0"));
      expect(text(await sandbox.readFile("new/deep/file"))).toBe("two\0");
      expect((await run("stat -c %a new/deep/file; readlink new/link; ls -A new/deep")).stdout).toBe("751\ndeep/file\nfile\n");
      await sandbox.writeFile("new/tool", Buffer.from("x"), { mode: 0o755 });
      expect((await run("stat -c %a new/tool")).stdout).toBe("755\n");
      await sandbox.writeFile("empty", new Uint8Array());
      expect(await sandbox.readFile("empty")).toHaveLength(0);
    });

    it("refuses to write over a folder, below a file and around a circle of links", async () => {
      await run("mkdir -p taken; echo x >plain; ln -sfn b a; ln -sfn a b");
      await expect(sandbox.writeFile("taken", Buffer.from("x"))).rejects.toThrow(SandboxPathError);
      await expect(sandbox.writeFile("plain/below", Buffer.from("x"))).rejects.toThrow(SandboxPathError);
      await expect(sandbox.writeFile("a", Buffer.from("x"))).rejects.toThrow("circle");
    });

    it("writes megabytes", async () => {
      const bytes = Buffer.alloc(3_000_000, "0123456789\n");
      await sandbox.writeFile("large", bytes);
      expect(Buffer.from((await sandbox.readFile("large")) ?? []).equals(bytes)).toBe(true);
    });

    it("copies a folder in and out with modes, links and odd names", async () => {
      const from = join(host, "from");
      await mkdir(join(from, "sub"), { recursive: true });
      await writeFile(join(from, "sub", "tool.sh"), "#!/bin/sh\n");
      await chmod(join(from, "sub", "tool.sh"), 0o755);
      await writeFile(join(from, "ĝ space\nline"), "odd");
      await symlink("sub/tool.sh", join(from, "link"));
      await sandbox.upload(from, "/tests/up");
      const to = join(host, "to");
      await mkdir(to);
      await sandbox.download("/tests/up", to);
      expect((await readdir(to)).sort()).toEqual(["link", "sub", "ĝ space\nline"].sort());
      expect((await stat(join(to, "sub", "tool.sh"))).mode & 0o777).toBe(0o755);
      expect((await lstat(join(to, "link"))).isSymbolicLink()).toBe(true);
      const single = join(host, "single");
      await mkdir(single);
      await sandbox.download("/tests/up/sub/tool.sh", single);
      expect(await readFile(join(single, "tool.sh"), "utf8")).toBe("#!/bin/sh\n");
      await expect(sandbox.download("/tests/missing", single)).rejects.toThrow("does not exist");
    });

    it("does not copy a link that leaves its folder in, nor through a link that was made inside", async () => {
      const bad = join(host, "bad");
      await mkdir(bad);
      await symlink("/etc/passwd", join(bad, "out"));
      await expect(sandbox.upload(bad, "/tests/bad")).rejects.toThrow(SandboxPathError);
      const good = join(host, "good");
      await mkdir(join(good, "d"), { recursive: true });
      await writeFile(join(good, "d", "f"), "pristine");
      await run(
        'mkdir -p /real "${FORGE_TESTS:-/tests}/trap" target; ln -sfn "$PWD/target" trapped; ln -sfn "$PWD/target" "${FORGE_TESTS:-/tests}/trap/d"',
      );
      await expect(sandbox.upload(good, "trapped")).rejects.toThrow("is a link");
      await expect(sandbox.upload(good, "trapped/below")).rejects.toThrow("is a link");
      await sandbox.upload(good, "/tests/trap");
      expect((await run('ls target; cat "${FORGE_TESTS:-/tests}/trap/d/f"')).stdout).toBe("pristine");
    });

    it("copies links out as links and never writes through them", async () => {
      await run("mkdir -p hostile; ln -sfn /etc hostile/etc; ln -sfn ../../../x hostile/up");
      const to = join(host, "hostile");
      await mkdir(to);
      await sandbox.download("hostile", to);
      expect((await lstat(join(to, "etc"))).isSymbolicLink()).toBe(true);
      expect((await lstat(join(to, "up"))).isSymbolicLink()).toBe(true);
    });

    it("says killed when a command ends its own worker shell, and works again at once", async () => {
      const result = await run("echo before; kill -9 $PPID; sleep 3");
      expect(result).toMatchObject({ status: "killed", exitCode: null, stdout: "before\n" });
      expect(await run("echo again")).toMatchObject({ status: "exited", stdout: "again\n" });
    });

    it("ends every process on demand and works again, files kept", async () => {
      await run("echo kept >kept; setsid sleep 4401 >/dev/null 2>&1 & (env -i setsid sleep 4402 >/dev/null 2>&1 &) ; echo");
      const running = run("sleep 4403");
      await new Promise((resolve) => setTimeout(resolve, 300));
      await sandbox.endProcesses();
      expect(await running).toMatchObject({ status: "killed" });
      expect(await processesWith("4401")).toEqual([]);
      expect(await processesWith("4403")).toEqual([]);
      // Without a process namespace, what clears its environment and leaves its parent cannot be told from the host's own.
      if (sandbox.kind !== "local") expect(await processesWith("4402")).toEqual([]);
      expect((await run("cat kept")).stdout).toBe("kept\n");
      if (sandbox.kind === "local")
        await run("for p in /proc/[0-9]*; do grep -q 4402 $p/cmdline 2>/dev/null && kill ${p#/proc/}; done; true");
    });

    it("tells what it used, as far as it can", async () => {
      const usage = await sandbox.usage();
      for (const value of Object.values(usage)) expect(value).toBeGreaterThanOrEqual(0);
      if (sandbox.kind === "docker") expect(usage.memoryPeakBytes).toBeGreaterThan(100_000);
    });

    it("leaves nothing when it is closed, and can be closed twice", async () => {
      const other = await subject().create();
      await other.exec("setsid sleep 4501 >/dev/null 2>&1 & mkdir -p locked/in; chmod 0 locked; echo");
      const call = other.exec("sleep 4502");
      await new Promise((resolve) => setTimeout(resolve, 200));
      await other.close();
      await other.close();
      expect((await call).status).toBe("killed");
      await expect(other.exec("true")).rejects.toThrow("closed");
      await sandbox.close();
      expect(await subject().leftovers()).toEqual([]);
      sandbox = await subject().create();
    });
  });
}
