import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { writeNewFolder } from "../../harness/files/write-new-folder.ts";
import { loadTask } from "../formats/load-task.ts";
import { requireHolding, requireRunner, type Drafted, type TryDraft } from "../scaffold/draft-check.ts";
import type { DraftedTask } from "../scaffold/drafted-task.ts";
import { createGitObjects } from "../scaffold/git-objects.ts";
import { settleModes } from "../scaffold/settle-modes.ts";
import { readCommit, type CommitChange } from "./read-commit.ts";
import { testCommand } from "./test-command.ts";
import { writeGitTask } from "./write-git-task.ts";

export interface GitTaskRequest {
  /** A folder, or an address that git can fetch from. */
  readonly repository: string;
  /** What the task calls it. */
  readonly called: string;
  readonly revision: string;
  /** A folder that does not exist yet: it appears when the task is whole. */
  readonly out: string;
  readonly options: DraftedTask;
  readonly instruction?: string;
  readonly isTest: (path: string) => boolean;
  /** The command that checks the work; left out: told by the tests' names. */
  readonly check?: string | undefined;
  /** Left out: the task is written untried. */
  readonly tryDraft?: TryDraft;
  readonly signal: AbortSignal;
}

/**
 * Makes a task of a commit: the state before it, its change as the solution, its tests as the check. Throws `CannotError` and `ForgeError` where the draft does not
 * hold at the gate (nothing is written then), what git answers, and the reason when stopped.
 */
export async function makeGitTask(o: GitTaskRequest): Promise<{ readonly change: CommitChange; readonly drafted: Drafted }> {
  const scratch = await mkdtemp(join(tmpdir(), "forge-from-git-"));
  try {
    const git = await createGitObjects(join(scratch, "objects.git"), { signal: o.signal });
    const local = existsSync(o.repository);
    const place = local ? resolve(o.repository) : o.repository;
    const change = await readCommit(git, {
      repository: place,
      revision: local ? await git.named(place, o.revision) : o.revision,
      isTest: o.isTest,
    });
    const command = testCommand(change.testsWritten, o.check);
    const drafted = await writeNewFolder(o.out, async (draft): Promise<Drafted> => {
      await writeGitTask(draft, git, {
        ...o.options,
        repository: o.called,
        change,
        command,
        ...(o.instruction !== undefined && { instruction: o.instruction }),
      });
      await settleModes(draft);
      if (!o.tryDraft) return { digest: (await loadTask(draft)).digest, sandbox: null };
      let looked = await o.tryDraft(draft, o.signal);
      const half = "wrong solution half-of-it fails";
      if (looked.lines.some(({ check, ok }) => check === half && !ok)) {
        // Half of the change was enough for its tests, so it is no mistake that they can find.
        await rm(join(draft, "solution", "wrong", "half-of-it.sh"));
        await rm(join(draft, "solution", "half.patch"));
        looked = { ...looked, lines: looked.lines.filter(({ check }) => check !== half), digest: (await loadTask(draft)).digest };
      }
      requireRunner(looked);
      requireHolding(looked);
      return looked;
    });
    return { change, drafted };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
