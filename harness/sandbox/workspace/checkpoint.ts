import { existsSync } from "node:fs";
import { lstat, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CannotError, messageOf } from "../../errors.ts";
import { gitEnvironment, withoutConfiguration } from "./git-environment.ts";
import { loadExeca } from "../../package/load-execa.ts";

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
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink()) throw new CannotError(`${path} is a link, and Forge writes nothing through it. Remove it and run again.`);
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
  const options = [
    "user.name=forge",
    "user.email=forge@localhost",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "commit.gpgSign=false",
  ];
  const env = gitEnvironment(withoutConfiguration);
  const { execa } = await loadExeca();
  const run = async (...args: string[]): Promise<string> => {
    const given = [...options.flatMap((option) => ["-c", option]), `--git-dir=${gitDir}`, `--work-tree=${folder}`];
    const { stdout } = await execa("git", [...given, ...args], { cwd: folder, env, extendEnv: false });
    return stdout;
  };
  try {
    if (!existsSync(gitDir)) {
      await execa("git", ["init", "-q", "--bare", gitDir], { env, extendEnv: false });
    }
    await refuseLinked(gitDir);
    // The folder may come from anywhere, and git runs programs that a configuration names: ours is written again each time.
    await writeFile(join(gitDir, "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = true\n");
    await mkdir(join(gitDir, "info"), { recursive: true });
    await writeFile(join(gitDir, "info", "exclude"), ".forge/\n");
    await run("add", "-A", "--ignore-errors", ".");
    await run("commit", "-q", "--allow-empty", "--no-verify", "-m", name);
    const commit = (await run("rev-parse", "HEAD")).trim();
    return { commit, restore: `git --git-dir=.forge/shadow.git --work-tree=. checkout ${commit.slice(0, 12)} -- .` };
  } catch (error) {
    throw new CannotError(`No checkpoint of ${folder} could be kept: ${messageOf(error)}. Install git, or correct what it reports.`);
  }
}

/** A git folder that is a link, or has one where we write, would have us write elsewhere. */
async function refuseLinked(gitDir: string): Promise<void> {
  for (const path of [gitDir, join(gitDir, "config"), join(gitDir, "info"), join(gitDir, "info", "exclude")]) {
    const found = await lstat(path).catch(() => undefined);
    if (found?.isSymbolicLink()) throw new Error(`${path} is a link; remove it`);
  }
}
