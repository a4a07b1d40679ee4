import type { Sandbox } from "../../harness/sandbox/sandbox.ts";

/** True when a sandbox still carries out a command. Never throws. */
export async function answers(sandbox: Sandbox): Promise<boolean> {
  try {
    const { status, exitCode } = await sandbox.exec(":", { cwd: "/", timeoutMs: 10_000 });
    return status === "exited" && exitCode === 0;
  } catch {
    return false;
  }
}
