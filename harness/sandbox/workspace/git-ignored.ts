import { lstat, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { messageOf } from "../../errors.ts";
import { gitEnvironment, withoutConfiguration } from "./git-environment.ts";
import { loadExeca } from "../../package/load-execa.ts";

export interface GitIgnoredOptions {
  /** Look for the repository above the folder too. Not for copies: what lies above them has nothing to do with them. Default false. */
  readonly above?: boolean;
  /** Default 10,000. */
  readonly timeoutMs?: number;
}

/**
 * What git ignores below a folder, as paths relative to it without a final slash: untracked, and named by a `.gitignore` of the tree or by the
 * repository's `info/exclude`. The user's and the machine's own ignore files do not count, so that every machine has the same answer. Nothing for a
 * folder that is in no repository, or is ignored itself.
 *
 * The repository may be an agent's: git reads the tree with a git folder of ours, so that no configuration and no hook of the repository's is used.
 * @throws Error with one clause where git is missing or fails
 */
export async function gitIgnored(folder: string, o: GitIgnoredOptions = {}): Promise<readonly string[]> {
  const top = await repositoryOf(folder, o.above === true);
  if (top === undefined) return [];
  const { execa } = await loadExeca();
  const own = await mkdtemp(join(tmpdir(), "forge-ignored-"));
  try {
    await makeGitFolder(own, top);
    const git = async (index: string, cwd: string, ...args: string[]) => {
      const options = ["core.excludesFile=/dev/null", "core.fsmonitor=false", "core.untrackedCache=false"].flatMap((one) => ["-c", one]);
      return execa("git", [...options, `--git-dir=${own}`, `--work-tree=${top}`, ...args], {
        cwd,
        env: gitEnvironment({ ...withoutConfiguration, GIT_INDEX_FILE: index, GIT_OPTIONAL_LOCKS: "0" }),
        extendEnv: false,
        timeout: o.timeoutMs ?? 10_000,
        maxBuffer: 64 * 1024 * 1024,
        stripFinalNewline: false,
        reject: false,
      });
    };
    const none = join(own, "no-index");
    if (folder !== top && (await git(none, top, "check-ignore", "-q", "--", folder)).exitCode === 0) return [];
    const list = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
    const index = join(top, ".git", "index");
    let listed = (await isFile(index)) ? await git(index, folder, ...list) : undefined;
    // An index that git cannot read tells nothing of what is tracked.
    if (listed?.exitCode !== 0) listed = await git(none, folder, ...list);
    if (listed.exitCode !== 0) throw new Error(listed.timedOut ? "git took too long" : said(listed.stderr, listed.originalMessage));
    return listed.stdout.split("\0").flatMap((path) => (path === "" ? [] : [path.replace(/\/$/, "")]));
  } catch (error) {
    throw new Error(`what git ignores is not known (${messageOf(error)})`, { cause: error });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

async function repositoryOf(folder: string, above: boolean): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await lstat(join(at, ".git")).catch(() => undefined)) return at;
    if (!above || dirname(at) === at) return undefined;
  }
}

/** The least that git takes for a repository, with the exclusions of the one at `top`. */
async function makeGitFolder(own: string, top: string): Promise<void> {
  for (const part of ["objects", "refs", "info"]) await mkdir(join(own, part));
  await writeFile(join(own, "HEAD"), "ref: refs/heads/main\n");
  await writeFile(join(own, "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
  const exclude = join(top, ".git", "info", "exclude");
  if (await isFile(exclude)) await writeFile(join(own, "info", "exclude"), await readFile(exclude));
}

/** A true file behind true folders, of a size that makes sense. */
async function isFile(path: string): Promise<boolean> {
  if (!(await lstat(dirname(path)).catch(() => undefined))?.isDirectory()) return false;
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() === true && found.size < 64 * 1024 * 1024;
}

const said = (stderr: unknown, message: string | undefined): string =>
  (typeof stderr === "string" && stderr.trim() !== "" ? stderr.trim() : (message ?? "git failed")).split("\n")[0]?.slice(0, 200) ?? "";
