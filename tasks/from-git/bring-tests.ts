import { join } from "node:path";
import type { GitObjects } from "../scaffold/git-objects.ts";
import type { ChangedTests } from "./read-commit.ts";

/**
 * Writes the tests of a change, and the settings by which they are run, into a task's `tests/`: those that it changes, and as pristine copies the others,
 * so that what the agent makes of what it sees of them does not count. Answers what the verifier puts into its copy of the work, and takes out of it.
 * @param to the commit or tree after the change
 */
export async function bringTests(
  folder: string,
  git: GitObjects,
  to: string,
  change: ChangedTests,
): Promise<{ readonly written: readonly string[]; readonly removed: readonly string[] }> {
  const written = [...change.testsWritten, ...change.settingsWritten];
  const other = new Set(written);
  const same = [...change.allTests, ...change.allSettings].filter((path) => !other.has(path));
  await git.writeFiles(to, join(folder, "tests", "files"), written);
  await git.writeFiles(to, join(folder, "tests", "given"), same);
  return { written, removed: [...change.testsRemoved, ...change.settingsRemoved] };
}
