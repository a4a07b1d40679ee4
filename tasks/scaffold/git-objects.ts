import { mkdir, writeFile } from "node:fs/promises";
import { execa } from "execa";
import { ConfigError } from "../../harness/errors.ts";

/**
 * A git of our own, in a folder of its own: no configuration of the user or of a repository, no hooks, no filters. Its calls answer standard output as
 * bytes. They reject with execa's error.
 * @param o.objects another repository's objects, which may be read too
 */
export async function createGitObjects(gitDir: string, o: { readonly objects?: string; readonly signal?: AbortSignal } = {}) {
  const env = {
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
    GIT_LFS_SKIP_SMUDGE: "1",
    ...(o.objects !== undefined && { GIT_ALTERNATE_OBJECT_DIRECTORIES: o.objects }),
  };
  const safe = ["core.hooksPath=/dev/null", "core.fsmonitor=false", "core.autocrlf=false", "core.quotePath=false"].flatMap((one) => [
    "-c",
    one,
  ]);
  const run = async (args: readonly string[], more: Readonly<Record<string, string>> = {}, cwd?: string): Promise<Buffer> => {
    const { stdout } = await execa("git", ["--literal-pathspecs", ...safe, `--git-dir=${gitDir}`, ...args], {
      env: { ...env, ...more },
      ...(cwd !== undefined && { cwd }),
      encoding: "buffer",
      stripFinalNewline: false,
      maxBuffer: 256 * 1024 ** 2,
      ...(o.signal && { cancelSignal: o.signal }),
    });
    return Buffer.from(stdout);
  };
  await mkdir(gitDir, { recursive: true });
  await run(["init", "--quiet", "--bare"]);
  return {
    bytes: run,
    text: async (args: readonly string[]): Promise<string> => (await run(args)).toString("utf8").trimEnd(),
    /** The hash that a repository of this machine has for a name of a commit. @throws ConfigError where it has none */
    async named(repository: string, revision: string): Promise<string> {
      const asked = ["-C", repository, "rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
      const { stdout, failed, stderr } = await execa("git", [...safe, ...asked], { env, reject: false });
      if (!failed) return stdout.trim();
      const why = stderr
        .trim()
        .split("\n")
        .at(-1)
        ?.replace(/[.\s]+$/, "");
      throw new ConfigError(
        `${repository}: there is no commit "${revision}"${why ? ` (${why})` : ""}. Name a repository, and a commit, branch or tag that it has.`,
      );
    },
    /** A tree of what a folder holds now, without what its `.gitignore` names and the paths left out. */
    async treeOf(folder: string, leaveOut: readonly string[]): Promise<string> {
      await mkdir(`${gitDir}/info`, { recursive: true });
      await writeFile(`${gitDir}/info/exclude`, `${leaveOut.join("\n")}\n`);
      const index = { GIT_INDEX_FILE: `${gitDir}/forge-tree-index`, GIT_WORK_TREE: folder };
      await run(["add", "--all", "--", "."], index, folder);
      return (await run(["write-tree"], index)).toString("utf8").trim();
    },
    /** Writes all files of a commit, or those named, below a folder. */
    async writeFiles(commit: string, folder: string, paths?: readonly string[]): Promise<void> {
      await mkdir(folder, { recursive: true });
      const index = { GIT_INDEX_FILE: `${gitDir}/forge-index`, GIT_WORK_TREE: folder };
      await run(["read-tree", commit], index);
      if (!paths) await run(["checkout-index", "--all", "--force"], index);
      else for (let i = 0; i < paths.length; i += 200) await run(["checkout-index", "--force", "--", ...paths.slice(i, i + 200)], index);
    },
  };
}

export type GitObjects = Awaited<ReturnType<typeof createGitObjects>>;
