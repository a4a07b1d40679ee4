import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { CannotError, messageOf } from "../errors.ts";

/** A kept state of a folder. `restore` is the command that brings its files back. */
export interface Checkpoint {
  readonly commit: string;
  readonly restore: string;
}

/** What Forge writes below a folder and git should not see. */
const ignored = ["runs/", "shadow.git/", "index.db*", "settings.local.yaml", ".gitignore"].join("\n");

/** Makes `<folder>/.forge` and keeps what Forge writes there out of the user's own git. */
export async function prepareForgeFolder(folder: string): Promise<string> {
  const path = join(folder, ".forge");
  await mkdir(path, { recursive: true });
  const ignore = join(path, ".gitignore");
  if (!existsSync(ignore)) await writeFile(ignore, `${ignored}\n`);
  return path;
}

/**
 * Keeps the folder as it is now as a commit of a git of our own (`.forge/shadow.git`): the user's git, its index and its hooks are not touched.
 * Files that the folder's .gitignore names are left out. Throws `CannotError` where git is missing or fails.
 */
export async function takeCheckpoint(folder: string, name: string): Promise<Checkpoint> {
  const gitDir = join(await prepareForgeFolder(folder), "shadow.git");
  const run = async (...args: string[]): Promise<string> => {
    const identity = ["-c", "user.name=forge", "-c", "user.email=forge@localhost", "-c", "core.hooksPath=", "-c", "commit.gpgSign=false"];
    const { stdout } = await execa("git", [...identity, `--git-dir=${gitDir}`, `--work-tree=${folder}`, ...args], { cwd: folder });
    return stdout;
  };
  try {
    if (!existsSync(gitDir)) {
      await execa("git", ["init", "-q", "--bare", gitDir]);
      await writeFile(join(gitDir, "info", "exclude"), ".forge/\n");
    }
    await run("add", "-A", "--ignore-errors", ".");
    await run("commit", "-q", "--allow-empty", "--no-verify", "-m", name);
    const commit = (await run("rev-parse", "HEAD")).trim();
    return { commit, restore: `git --git-dir=.forge/shadow.git --work-tree=. checkout ${commit.slice(0, 12)} -- .` };
  } catch (error) {
    throw new CannotError(`No checkpoint of ${folder} could be kept: ${messageOf(error)}. Install git, or mend what it says.`);
  }
}
