import { join, sep } from "node:path";
import { packageRoot } from "../../harness/package/package-root.ts";

/** The suites that come with Forge, by the name a user types. */
export const ownSuites = ["builtin", "demo"] as const;

/** The folder that holds the suites shipped with Forge. */
export function ownSuitesFolder(): string {
  return join(packageRoot(), "tasks", "suites");
}

/** True for a folder that Forge ships: such a task may run without a sandbox under a simulated model. */
export function isOwn(folder: string): boolean {
  return folder.startsWith(ownSuitesFolder() + sep);
}
