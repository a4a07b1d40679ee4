import { spawn } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { ExecOptions, ExecResult, Sandbox } from "../../../harness/sandbox/sandbox.ts";

/** The sandbox port over plain child processes in a fresh folder: the least that tools need, for tests of what does not depend on the kind. */
export async function createHostSandbox(o: { path?: string } = {}): Promise<Sandbox> {
  const workdir = await realpath(await mkdtemp(join(tmpdir(), "forge-tools-")));
  const at = (path: string): string => resolve(workdir, path);
  return {
    kind: "local",
    workdir,
    exec: (command, options = {}) => run(command, { ...options, cwd: at(options.cwd ?? ".") }, o.path),
    readFile: (path) => readFile(at(path)).catch(() => undefined),
    async writeFile(path, content) {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(`${at(path)}.new`, content);
      await rename(`${at(path)}.new`, at(path));
    },
    async upload(from, to) {
      await cp(from, at(to), { recursive: true });
      await chmod(at(to), 0o755);
    },
    download: (from, to) => cp(at(from), to, { recursive: true }),
    endProcesses: async () => undefined,
    usage: async () => ({}),
    close: () => rm(workdir, { recursive: true, force: true }),
  };
}

function run(command: string, o: ExecOptions, path: string | undefined): Promise<ExecResult> {
  o.signal?.throwIfAborted();
  const env = { ...process.env, ...(path !== undefined && { PATH: path }), ...o.env };
  const child = spawn(o.shell ?? "sh", ["-c", command], { cwd: o.cwd, env, detached: true });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  child.stdin.end(o.stdin);
  return new Promise((settle, fail) => {
    let status: ExecResult["status"] = "exited";
    const end = (): void => {
      try {
        process.kill(-(child.pid ?? 0), "SIGKILL");
      } catch {
        // gone already
      }
    };
    const timer = setTimeout(() => ((status = "timeout"), end()), o.timeoutMs ?? 120_000);
    const aborted = (): void => (end(), fail(o.signal?.reason));
    o.signal?.addEventListener("abort", aborted, { once: true });
    child.on("error", fail);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      o.signal?.removeEventListener("abort", aborted);
      const exitCode = status === "timeout" ? null : (code ?? (signal === "SIGKILL" ? 137 : 143));
      settle({ status, exitCode, stdout: Buffer.concat(out), stderr: Buffer.concat(err), dropped: 0 });
    });
  });
}
