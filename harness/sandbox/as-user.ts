import { posix } from "node:path";
import type { ExecOptions, Sandbox } from "./sandbox.ts";
import type { Terminal } from "./terminal.ts";
import { readThroughShell, writeThroughShell } from "./shell/files.ts";

/** The same sandbox for someone who works in it as `user` (a name or a number of the container): commands and files are that user's. */
export function asUser(sandbox: Sandbox, user: string | undefined): Sandbox {
  if (user === undefined) return sandbox;
  const exec = (command: string, o: ExecOptions = {}) => sandbox.exec(command, { user, ...o });
  const at = (path: string): string => posix.resolve(sandbox.workdir, path);
  return {
    kind: sandbox.kind,
    workdir: sandbox.workdir,
    exec,
    readFile: (path) => readThroughShell(exec, at(path)),
    writeFile: (path, content, o = {}) => writeThroughShell(exec, at(path), content, o.mode),
    upload: (hostFolder, destination) => sandbox.upload(hostFolder, destination),
    download: (path, hostFolder, o) => sandbox.download(path, hostFolder, o),
    endProcesses: () => sandbox.endProcesses(),
    usage: () => sandbox.usage(),
    ...(sandbox.evidence ? { evidence: () => evidenceOf(sandbox) } : {}),
    ...(sandbox.program ? { program: (words, o) => programOf(sandbox, words, { user, ...o }) } : {}),
    ...(sandbox.openPort ? { openPort: (to) => portOf(sandbox, to) } : {}),
    ...(sandbox.terminal ? { terminal: (o) => terminalOf(sandbox, { user, ...o }) } : {}),
    close: () => sandbox.close(),
  };
}

function programOf(sandbox: Sandbox, ...[words, o]: Parameters<NonNullable<Sandbox["program"]>>) {
  return sandbox.program?.(words, o) ?? Promise.reject(new Error("the sandbox runs no programs"));
}

function portOf(sandbox: Sandbox, to: { readonly port: number }) {
  return sandbox.openPort?.(to) ?? Promise.reject(new Error("the sandbox opens no ports"));
}

async function terminalOf(sandbox: Sandbox, o: Terminal) {
  return (await sandbox.terminal?.(o)) ?? null;
}

async function evidenceOf(sandbox: Sandbox) {
  const seen = await sandbox.evidence?.();
  return seen ?? { state: "unknown" as const, events: [], daemonLost: [], storageExceeded: [], usage: {} };
}
