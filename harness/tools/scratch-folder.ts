import { SandboxPathError, type Sandbox } from "../sandbox/sandbox.ts";
import { quote } from "../sandbox/shell/quote.ts";

/**
 * A folder inside the sandbox for logs and long outputs, outside the workdir so that it never counts as an edit. In a sandbox with a /tmp of
 * its own the name is fixed, so that equal runs print equal paths; on the host it is fresh, because others live in /tmp too.
 */
export function createScratchFolder(sandbox: Sandbox): ScratchFolder {
  let pending: Promise<string> | undefined;
  let path: string | undefined;
  const folder = (): Promise<string> => (pending ??= make(sandbox).then((made) => (path = made)));
  return Object.assign(folder, { made: () => path });
}
/** Makes the folder on the first call. `made`: its path once it is there. */
export type ScratchFolder = (() => Promise<string>) & { made(): string | undefined };

async function make(sandbox: Sandbox): Promise<string> {
  const fixed = "/tmp/.forge";
  const command =
    sandbox.kind === "local" ? 'mktemp -d "${TMPDIR:-/tmp}/forge-XXXXXXXX"' : `mkdir -p ${quote(fixed)} && echo ${quote(fixed)}`;
  const made = await sandbox.exec(command, { timeoutMs: 30_000 });
  const folder = new TextDecoder().decode(made.stdout).trim();
  if (made.exitCode !== 0 || !folder.startsWith("/")) {
    const why = new TextDecoder().decode(made.stderr).trim();
    throw new SandboxPathError(`No folder for outputs could be made under /tmp (${why || made.status}). Make room there, or do without.`);
  }
  return folder;
}
