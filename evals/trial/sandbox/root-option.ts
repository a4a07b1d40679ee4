import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";

/** Images with a user of their own: only root may make `/tests` and `/logs` there. (Another user costs a session of its own, so it is asked for only then.) */
export async function rootOption(sandbox: Sandbox, signal: AbortSignal): Promise<{ user?: string }> {
  if (sandbox.kind !== "docker") return {};
  const { stdout } = await sandbox.exec("id -u", { cwd: "/", signal });
  return new TextDecoder().decode(stdout).trim() === "0" ? {} : { user: "root" };
}
