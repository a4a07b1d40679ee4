import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { commandVerifier } from "../scaffold/command-verifier.ts";
import type { DraftedTask } from "../scaffold/drafted-task.ts";
import type { GitObjects } from "../scaffold/git-objects.ts";
import { hardenedTaskToml } from "../scaffold/hardened-task-toml.ts";
import { changePlan, dockerfileFor, patchScript } from "../scaffold/patch-solution.ts";
import { writeTexts } from "../../harness/files/write-new-folder.ts";
import { bringTests } from "./bring-tests.ts";
import { settingsPattern, type CommitChange } from "./read-commit.ts";
import type { TestCommand } from "./test-command.ts";

export interface GitTaskOptions extends DraftedTask {
  readonly repository: string;
  readonly change: CommitChange;
  readonly command: TestCommand;
  /** Replaces the commit's message. */
  readonly instruction?: string;
}

const asked = "the project's tests pass, also those that come with it";

/** Writes a task's folder: the parent's files, the commit's message, its tests as verifier and its other changes as solution. */
export async function writeGitTask(folder: string, git: GitObjects, o: GitTaskOptions): Promise<void> {
  const { change } = o;
  await git.writeFiles(change.parent, join(folder, "environment", "app"));
  const brought = await bringTests(folder, git, change.commit, change);
  const patch = await git.diff(change.parent, change.commit, change.sources);
  const verifier = commandVerifier({
    check: "tests of the change",
    asked,
    ...o.command,
    timeoutSec: o.timeoutSec,
    ...brought,
    // A configuration of pytest that is not the project's could choose among the tests.
    ...(o.command.report === "pytest" && { stray: settingsPattern }),
  });
  const half = halfPatch(patch.toString("latin1"));
  await writeTexts(folder, {
    "task.toml": hardenedTaskToml({
      notes: [`${o.repository} at ${change.commit}`],
      difficulty: o.difficulty,
      tags: ["from-git"],
      family: o.family,
      split: o.split,
      local: o.image === undefined,
      verifierSec: o.timeoutSec * 2 + 60,
    }),
    "instruction.md": `${o.instruction?.trim() ?? change.message}\n\nThe working directory holds the project as it was before this change. Make the change. When it is made, ${asked}.\n`,
    "environment/Dockerfile": dockerfileFor(o),
    ...Object.fromEntries(Object.entries(verifier).map(([path, text]) => [`tests/${path}`, text])),
    "solution/solve.sh": patchScript("change.patch"),
    "solution/plan.yaml": stringify(changePlan(patch, change.sources), { lineWidth: 0 }),
    "solution/wrong/only-says-so.sh": "echo 'The change is made.' >> NOTES.md\n",
    ...(half !== undefined && { "solution/wrong/half-of-it.sh": patchScript("half.patch") }),
  });
  await mkdir(join(folder, "solution"), { recursive: true });
  await writeFile(join(folder, "solution", "change.patch"), patch);
  if (half !== undefined) await writeFile(join(folder, "solution", "half.patch"), Buffer.from(half, "latin1"));
  await chmod(join(folder, "environment", "app"), 0o755);
}

/** The first half of a patch of git: of its files, or where there is one, of its hunks. Undefined where it cannot be halved. */
function halfPatch(patch: string): string | undefined {
  const files = patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith("diff --git "));
  if (files.length > 1) return files.slice(0, Math.ceil(files.length / 2)).join("");
  const [file = ""] = files;
  const [head = "", ...hunks] = file.split(/^(?=@@ )/m);
  return hunks.length > 1 ? head + hunks.slice(0, Math.ceil(hunks.length / 2)).join("") : undefined;
}
