import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";

/** Puts one program into a folder of the sandbox, as a folder's upload does: also where that is root's, and the environment's user is not. */
export async function uploadFile(sandbox: Sandbox, name: string, content: Uint8Array, folder: string): Promise<void> {
  const only = await mkdtemp(join(tmpdir(), "forge-file-"));
  try {
    await writeFile(join(only, name), content);
    await chmod(join(only, name), 0o755); // whatever this process' mask says
    await sandbox.upload(only, folder);
  } finally {
    await rm(only, { recursive: true, force: true });
  }
}

/** Images with a user of their own: only root may make `/tests` and `/logs` there. (Another user costs a session of its own, so it is asked for only then.) */
export async function rootOption(sandbox: Sandbox, signal: AbortSignal): Promise<{ user?: string }> {
  if (sandbox.kind !== "docker") return {};
  const { stdout } = await sandbox.exec("id -u", { cwd: "/", signal });
  return new TextDecoder().decode(stdout).trim() === "0" ? {} : { user: "root" };
}
