import { readlinkSync } from "node:fs";
import { relative, sep } from "node:path";
import { ConfigError } from "../../../harness/errors.ts";
import { linkLeaves } from "../../../harness/sandbox/workspace/pack-folder.ts";
import type { Task } from "../../task.ts";
import type { TreeEntry } from "./check-tree.ts";
import { shownValue } from "../read/shown-value.ts";

/**
 * Holds links to the part of the task that they lie in: `environment/` and `tests/` are copied each alone, so a link from one to another would lead
 * nowhere there, or elsewhere. Throws `ConfigError` for one that leaves its part.
 */
export function checkLinks(task: Omit<Task, "digest" | "own">, entries: readonly TreeEntry[]): void {
  const links = entries.filter(({ stat }) => stat.isSymbolicLink());
  if (links.length === 0) return;
  const parts = partsOf(task);
  for (const { path } of links)
    for (const part of parts) {
      const inside = relative(part, path).split(sep).join("/");
      if (inside === "" || inside.startsWith("../")) continue;
      const target = readlinkSync(path);
      if (linkLeaves(inside, target))
        throw new ConfigError(
          `${path}: is a link to ${shownValue(target)}, outside of ${part}, which is copied into the sandbox alone. Put the file itself there.`,
        );
    }
}

/** The folders that are copied into a sandbox, each by itself. The solution's is not: only who runs it needs it. */
function partsOf({ environment, verifier, steps = [] }: Omit<Task, "digest" | "own">): string[] {
  const folders = [{ verifier, workdirFolder: undefined }, ...steps].flatMap((phase) => [
    ...phase.verifier.tests,
    phase.verifier.environment?.folder,
    phase.workdirFolder,
  ]);
  return [...new Set([environment.folder, ...folders].filter((folder) => folder !== undefined))];
}
