import { posix } from "node:path";
import { InfraError } from "../../errors.ts";
import { SandboxPathError, type ExecOptions, type ExecResult } from "../sandbox.ts";
import { quote } from "./quote.ts";

/** Larger files are for commands; nothing that reads a whole file into memory wants them. */
const maxFileBytes = 64 * 1024 * 1024;
const timeoutMs = 60_000;

type Exec = (command: string, o?: ExecOptions) => Promise<ExecResult>;

/** The bytes of a file, read by a shell inside the sandbox, so that its links lead where they lead there. */
export async function readThroughShell(exec: Exec, path: string): Promise<Uint8Array | undefined> {
  const p = quote(within(path));
  const script = `[ -e ${p} ] || exit 91; [ -d ${p} ] && exit 92; [ -f ${p} ] || exit 93; [ -r ${p} ] || exit 94; exec cat <${p}`;
  const read = await exec(script, { timeoutMs, maxBytes: maxFileBytes });
  if (read.dropped > 0)
    throw new SandboxPathError(`${path} is larger than ${maxFileBytes / 1024 / 1024} MiB; read a part of it with a command.`);
  if (read.status === "exited" && read.exitCode === 0) return read.stdout;
  if (read.exitCode === 91) return undefined;
  if (read.exitCode === 92) throw new SandboxPathError(`${path} is a folder, not a file.`);
  if (read.exitCode === 93) throw new SandboxPathError(`${path} is a device, pipe or socket, not a file.`);
  if (read.exitCode === 94) throw new SandboxPathError(`${path} may not be read (permission denied).`);
  throw failed(`${path} could not be read`, read);
}

/** Writes beside the target and renames, so that a reader sees the old bytes or the new ones; a link is followed to what it names. */
export async function writeThroughShell(exec: Exec, path: string, content: Uint8Array, mode?: number): Promise<void> {
  const script = `
p=${quote(within(path))} n=0
while [ -L "$p" ]; do
  n=$((n + 1)); [ $n -le 40 ] || exit 95
  to=$(readlink "$p"; echo .); to=\${to%??}
  case $to in /*) p=$to ;; *) p=\${p%/*}/$to ;; esac
done
[ -d "$p" ] && exit 92
[ -e "$p" ] && [ ! -f "$p" ] && exit 93
folder=\${p%/*}; [ -n "$folder" ] || folder=/
[ -d "$folder" ] || mkdir -p -- "$folder" || exit 96
t=$folder/.forge-write-$$
[ ! -e "$t" ] && [ ! -L "$t" ] || rm -f -- "$t"
trap 'rm -f -- "$t"' EXIT
if [ -e "$p" ]; then cp -p -- "$p" "$t" || exit 97; [ -w "$t" ] || { [ -w "$p" ] || exit 94; }; fi
cat >"$t" || exit 97
${mode === undefined ? "" : `chmod ${(mode & 0o7777).toString(8)} "$t" || exit 97`}
mv -f -- "$t" "$p" || exit 97`;
  const wrote = await exec(script, { timeoutMs, stdin: content });
  if (wrote.status === "exited" && wrote.exitCode === 0) return;
  const why =
    Buffer.from(wrote.stderr)
      .toString()
      .trim()
      .split("\n")[0]
      ?.replace(/^.*?: /, "") ?? "";
  if (wrote.exitCode === 92) throw new SandboxPathError(`${path} is a folder; a file cannot be written there.`);
  if (wrote.exitCode === 93) throw new SandboxPathError(`${path} is a device, pipe or socket; it is not replaced by a file.`);
  if (wrote.exitCode === 94) throw new SandboxPathError(`${path} may not be written (permission denied).`);
  if (wrote.exitCode === 95) throw new SandboxPathError(`${path} is a link that leads in a circle.`);
  if (wrote.exitCode === 96) throw new SandboxPathError(`The folder of ${path} cannot be made: ${why}.`);
  if (wrote.exitCode === 97) throw new SandboxPathError(`${path} cannot be written: ${why}.`);
  throw failed(`${path} could not be written`, wrote);
}

/** @throws SandboxPathError unless every existing part of the path is a true folder: an upload must not pass a link that the agent made. */
export async function refuseLinks(exec: Exec, path: string): Promise<void> {
  const parts = within(path).split("/").filter(Boolean);
  const prefixes = parts.map((_, i) => quote(`/${parts.slice(0, i + 1).join("/")}`)).join(" ");
  const check = `for p in ${prefixes}; do [ -L "$p" ] && { printf %s "$p"; exit 91; }; [ ! -e "$p" ] || [ -d "$p" ] || { printf %s "$p"; exit 92; }; done; exit 0`;
  const checked = await exec(check, { timeoutMs });
  if (checked.status === "exited" && checked.exitCode === 0) return;
  const where = Buffer.from(checked.stdout).toString();
  if (checked.exitCode === 91) throw new SandboxPathError(`${path} cannot be a destination: ${where} is a link.`);
  if (checked.exitCode === 92) throw new SandboxPathError(`${path} cannot be a destination: ${where} is not a folder.`);
  throw failed(`${path} could not be checked`, checked);
}

function within(path: string): string {
  if (path.includes("\0")) throw new SandboxPathError("A path cannot hold a NUL byte.");
  return posix.normalize(path);
}

export function failed(what: string, result: ExecResult): Error {
  const said = Buffer.from(result.stderr).toString().trim().split("\n").at(-1) ?? "";
  if (result.status === "killed") return new InfraError(`${what}: the sandbox lost the command; try again.`);
  if (result.status === "timeout") return new InfraError(`${what} in ${timeoutMs / 1000} s; the machine may be overloaded.`);
  return new SandboxPathError(`${what} (exit code ${result.exitCode}${said ? `: ${said}` : ""}).`);
}
