import { join, posix } from "node:path";
import { Readable } from "node:stream";
import { mkdir } from "node:fs/promises";
import { InfraError } from "../../errors.ts";
import { extractInto, listHostFolder, packFolder } from "../workspace/pack-folder.ts";
import { SandboxPathError, type ExecOptions, type ExecResult, type Sandbox, type SandboxKind, type SandboxUsage } from "../sandbox.ts";
import { failed, readThroughShell, refuseLinks, writeThroughShell } from "../shell/files.ts";
import { ShellPool, type PoolOptions } from "../shell/pool.ts";
import { quote } from "../shell/quote.ts";

export interface HostSandboxOptions {
  readonly kind: SandboxKind;
  readonly workdir: string;
  /** What a path given by a caller is where commands run. */
  readonly place: (path: string) => string;
  readonly pool: Omit<PoolOptions, "workdir" | "reset">;
  readonly env: Readonly<Record<string, string>>;
  /** Ends every process inside. */
  readonly endProcesses: (pool: ShellPool) => Promise<void>;
  /** Removes what the sandbox made; its processes have ended. */
  readonly remove: () => Promise<void>;
}

const copyTimeoutMs = 600_000;

/** A sandbox whose processes run on this machine: commands, and files too, go through shells inside it, so that its links lead where they lead there. */
export function createHostSandbox(o: HostSandboxOptions): Sandbox {
  let closing: Promise<void> | undefined;
  const pool: ShellPool = new ShellPool({ ...o.pool, workdir: o.workdir, reset: () => o.endProcesses(pool) });
  const at = (path: string) => o.place(posix.resolve(o.workdir, path));
  const exec = (
    command: string,
    options: ExecOptions = {},
    sinks: { onStdout?: (chunk: Uint8Array) => void } = {},
  ): Promise<ExecResult> => {
    if (options.user !== undefined && options.user !== "root")
      throw new InfraError(`A ${o.kind} sandbox has one user, so a command cannot run as "${options.user}"; use --sandbox docker.`);
    const cwd = options.cwd === undefined ? {} : { cwd: at(options.cwd) };
    const { user: _, ...rest } = options;
    return pool.exec(command, { ...rest, ...cwd, env: { ...o.env, ...options.env } }, sinks);
  };
  const plain = (command: string, options?: ExecOptions) => exec(command, options);
  return {
    kind: o.kind,
    workdir: o.workdir,
    async exec(command, options) {
      return exec(command, options);
    },
    readFile: (path) => readThroughShell(plain, at(path)),
    writeFile: (path, content, options = {}) => writeThroughShell(plain, at(path), content, options.mode),
    async upload(hostFolder, destination) {
      const entries = await listHostFolder(hostFolder);
      const path = at(destination);
      await refuseLinks(plain, path);
      const chunks: Buffer[] = [];
      for await (const chunk of packFolder(hostFolder, entries)) chunks.push(Buffer.from(chunk as Uint8Array)); // a tar stream yields bytes
      // --recursive-unlink is too much, and by default tar removes a link it meets instead of passing it.
      const script = `mkdir -p -- ${quote(path)} && exec tar -xpf - --no-same-owner -C ${quote(path)}`;
      const unpacked = await exec(script, { stdin: Buffer.concat(chunks), timeoutMs: copyTimeoutMs });
      if (unpacked.exitCode !== 0) throw failed(`${hostFolder} could not be copied to ${destination}`, unpacked);
    },
    async download(path, hostFolder, options) {
      const from = quote(at(path));
      const archive = new Readable({ read() {} });
      await mkdir(hostFolder, { recursive: true });
      const taken = extractInto(archive, hostFolder, (name) => posix.normalize(name).replace(/^\.?\/|^\.$/, ""), options);
      taken.catch(() => {});
      const script = `[ -L ${from} ] || [ -e ${from} ] || exit 91
if [ -d ${from} ] && [ ! -L ${from} ]; then exec tar -cf - -C ${from} .; fi
cd -- "$(dirname -- ${from})" && exec tar -cf - -- "./$(basename -- ${from})"`;
      const packed = await exec(script, { timeoutMs: copyTimeoutMs }, { onStdout: (chunk) => archive.push(chunk) });
      archive.push(null);
      if (packed.exitCode === 91) throw new SandboxPathError(`${path} does not exist.`);
      if (packed.exitCode !== 0) throw failed(`${path} could not be copied out of the sandbox`, packed);
      await taken;
    },
    endProcesses: () => o.endProcesses(pool),
    usage: async (): Promise<SandboxUsage> => ({}),
    close() {
      closing ??= (async () => {
        await o.endProcesses(pool).catch(() => undefined);
        pool.close();
        await o.remove();
      })();
      return closing;
    },
  };
}

/** Folders that exist in every sandbox without an image, as in a task's container. */
export const taskFolders = ["/app", "/tests", "/logs", "/solution"] as const;

export async function makeTaskFolders(root: string, workdir: string): Promise<void> {
  for (const path of [...taskFolders, "/tmp", workdir]) await mkdir(join(root, path), { recursive: true });
}
