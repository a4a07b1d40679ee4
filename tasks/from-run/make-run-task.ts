import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import { writeNewFolder } from "../../harness/files/write-new-folder.ts";
import { hashFolder } from "../../harness/sandbox/workspace/workspace-hash.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { loadTask } from "../formats/load-task.ts";
import { changedTests, type ChangedTests } from "../from-git/read-commit.ts";
import { requireHolding, requireRunner, type Drafted, type TryDraft } from "../scaffold/draft-check.ts";
import type { DraftedTask } from "../scaffold/drafted-task.ts";
import { createGitObjects, type GitObjects } from "../scaffold/git-objects.ts";
import { settleModes } from "../scaffold/settle-modes.ts";
import { writeRunTask, type RunSolution } from "./write-run-task.ts";

/** What an everyday run recorded of its beginning and its end. */
export interface KeptRun {
  readonly request: string;
  /** The commit with the folder as the run found it. */
  readonly checkpoint: string;
  /** Workspace hash of the folder when the run had ended. */
  readonly tree: string | undefined;
}

export interface RunTaskRequest {
  /** The run's folder: `<folder>/.forge/runs/<run>`, with the checkpoints beside `runs/`. */
  readonly run: string;
  readonly kept: KeptRun;
  /** A folder that does not exist yet: it appears when the task is whole. */
  readonly out: string;
  readonly options: DraftedTask;
  /** The command that checks the work. */
  readonly check: string;
  /** The tests that the check gets; `asked`: as the person named them, where it was a person. An empty one asks for none. */
  readonly tests: { readonly isTest: (path: string) => boolean; readonly asked: string | undefined };
  /** A patch as `git diff` writes it; left out: what the run changed, where that is still there. */
  readonly solution?: string | undefined;
  /** Left out: the task is written untried. */
  readonly tryDraft?: TryDraft;
  readonly signal: AbortSignal;
}

export interface RunTask {
  readonly found: Found;
  readonly tests: ChangedTests;
  readonly drafted: Drafted;
}

/**
 * Makes a task of an everyday run: the folder as the run found it, its request as the instruction, a command as the check. Throws `CannotError` where the checkpoint is
 * gone or the draft does not hold at the gate (nothing is written then), `ConfigError` for tests or a patch that do not fit, and the reason when stopped.
 */
export async function makeRunTask(o: RunTaskRequest): Promise<RunTask> {
  const { run, kept } = o;
  const forge = dirname(dirname(resolve(run)));
  const objects = join(forge, "shadow.git", "objects");
  if (!existsSync(objects))
    throw new CannotError(`${run}: its checkpoint was in ${dirname(objects)}, which is not there. Give the run where forge run left it.`);
  const scratch = await mkdtemp(join(tmpdir(), "forge-from-run-"));
  try {
    const git = await createGitObjects(join(scratch, "objects.git"), { objects, signal: o.signal });
    await git.bytes(["cat-file", "-e", `${kept.checkpoint}^{tree}`]).catch(() => {
      throw new CannotError(`${run}: its checkpoint ${kept.checkpoint.slice(0, 12)} is no longer in ${dirname(objects)}.`);
    });
    const found =
      o.solution === undefined ? await whatTheRunDid(git, kept, dirname(forge)) : await patchIn(o.solution, git, kept.checkpoint);
    const tests = await testsOf(git, { from: kept.checkpoint, to: "patch" in found ? found.tree : kept.checkpoint }, o.tests);
    const drafted = await writeNewFolder(o.out, async (draft): Promise<Drafted> => {
      await writeRunTask(draft, git, {
        ...o.options,
        run: basename(resolve(run)),
        ...kept,
        check: o.check,
        tests,
        ...("patch" in found && { solution: found }),
      });
      await settleModes(draft);
      if (!o.tryDraft) return { digest: (await loadTask(draft)).digest, sandbox: null };
      const report = await o.tryDraft(draft, o.signal);
      requireRunner(report);
      requireHolding(report, "patch" in found ? [] : ["has a solution", "has wrong solutions", "plan"], aboutChanged(tests));
      return report;
    });
    return { found, tests, drafted };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** @throws ConfigError where no file fits the one that was asked for */
async function testsOf(
  git: GitObjects,
  trees: { readonly from: string; readonly to: string },
  { isTest, asked }: RunTaskRequest["tests"],
): Promise<ChangedTests> {
  const found = await changedTests(git, { ...trees, isTest });
  if (asked !== undefined && asked !== "" && found.allTests.length === 0)
    throw new ConfigError(`--tests "${asked}" fits no file of the run. Name paths within its folder, such as "tests/*", or "" for none.`);
  return found;
}

/** A sentence on tests of which the request may say nothing. */
export const aboutChanged = ({ testsWritten }: ChangedTests): string =>
  testsWritten.length === 0
    ? ""
    : `The check gets ${someOf(testsWritten)} as the solution leaves ${testsWritten.length === 1 ? "it" : "them"}, which the agent does not see; where the request is to write tests, name the others with --tests.`;

export const someOf = (paths: readonly string[]): string => oneLine(paths.slice(0, 3).join(", ")) + (paths.length > 3 ? ", …" : "");

/** A solution, or why there is none. */
export type Found = RunSolution | { readonly why: string };

/** The way from the checkpoint to the folder, where that is still as the run left it; else why it is not known. */
async function whatTheRunDid(git: GitObjects, { checkpoint, tree }: KeptRun, folder: string): Promise<Found> {
  if (tree === undefined) return { why: "the run's end was not recorded." };
  const now = await hashFolder(folder);
  if (now.hash !== tree) return { why: `${folder} has changed since the run ended.` };
  const end = await git.treeOf(folder, [".forge/"]);
  const patch = await git.diff(checkpoint, end);
  const names = await git.bytes(["diff", "-z", "--name-only", "--no-renames", checkpoint, end]);
  const changed = names
    .toString("utf8")
    .split("\0")
    .filter((path) => path !== "");
  return changed.length === 0 ? { why: "the run left everything as it was." } : { patch, changed, tree: end };
}

async function patchIn(path: string, git: GitObjects, checkpoint: string): Promise<RunSolution> {
  const patch = await readFile(path).catch(() => {
    throw new ConfigError(`--solution: ${path} cannot be read. Name a patch as git diff writes it.`);
  });
  const changed = [...patch.toString("latin1").matchAll(/^diff --git a\/(\S+) /gm)].map(([, name = ""]) => name);
  if (changed.length === 0) throw new ConfigError(`--solution: ${path} is no patch as git diff writes it.`);
  const tree = await git.patched(checkpoint, resolve(path)).catch(() => {
    throw new ConfigError(`--solution: ${path} does not apply to the files as the run found them. Make the patch from those.`);
  });
  return { patch, changed, tree };
}
