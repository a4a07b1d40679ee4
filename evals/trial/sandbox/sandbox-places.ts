import { posix } from "node:path";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";

/** Where the task's fixed places are, absolute in the sandbox's own terms. */
export interface SandboxPlaces {
  readonly tests: string;
  readonly verifierLogs: string;
  readonly solution: string;
}

const asked = `printf '%s\\n' "\${FORGE_TESTS:-/tests}" "\${FORGE_LOGS:-/logs}" "\${FORGE_SOLUTION:-/solution}"`;

/** A local sandbox has no container paths and names its own by variables; everywhere else the places are the format's. */
export async function sandboxPlaces(sandbox: Sandbox): Promise<SandboxPlaces> {
  if (sandbox.kind !== "local") return { tests: "/tests", verifierLogs: "/logs/verifier", solution: "/solution" };
  const { stdout } = await sandbox.exec(asked);
  const [tests = "/tests", logs = "/logs", solution = "/solution"] = new TextDecoder().decode(stdout).trimEnd().split("\n");
  return { tests, verifierLogs: posix.join(logs, "verifier"), solution };
}

/** A path of the task (`/app/src`, in the container's terms) as this sandbox has it. */
export function placeOf(path: string, containerWorkdir: string, sandbox: Sandbox): string {
  if (path !== containerWorkdir && !path.startsWith(`${containerWorkdir}/`)) return path;
  return posix.join(sandbox.workdir, posix.relative(containerWorkdir, path));
}
