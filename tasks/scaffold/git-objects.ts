import { mkdir, writeFile } from "node:fs/promises";
import { execa } from "execa";
import { ConfigError } from "../../harness/errors.ts";
import { gitEnvironment, withoutConfiguration } from "../../harness/sandbox/workspace/git-environment.ts";

/**
 * A git of our own, in a folder of its own: no configuration of the user or of a repository, no hooks, no filters. Its calls answer standard output as
 * bytes. They reject with execa's error.
 * @param o.objects another repository's objects, which may be read too
 */
export async function createGitObjects(gitDir: string, o: { readonly objects?: string; readonly signal?: AbortSignal } = {}) {
  const env = gitEnvironment({
    ...withoutConfiguration,
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
    GIT_LFS_SKIP_SMUDGE: "1",
    ...(o.objects !== undefined && { GIT_ALTERNATE_OBJECT_DIRECTORIES: o.objects }),
  });
  const safe = ["core.hooksPath=/dev/null", "core.fsmonitor=false", "core.autocrlf=false", "core.quotePath=false"].flatMap((one) => [
    "-c",
    one,
  ]);
  const run = async (args: readonly string[], more: Readonly<Record<string, string>> = {}, cwd?: string): Promise<Buffer> => {
    const { stdout } = await execa("git", ["--literal-pathspecs", ...safe, `--git-dir=${gitDir}`, ...args], {
      env: { ...env, ...more },
      extendEnv: false,
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
      const { stdout, failed, stderr } = await execa("git", [...safe, ...asked], { env, extendEnv: false, reject: false });
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
    /** The tree that a patch makes of another. Rejects where it does not apply. */
    async patched(tree: string, patch: string): Promise<string> {
      const index = { GIT_INDEX_FILE: `${gitDir}/forge-patched-index` };
      await run(["read-tree", tree], index);
      await run(["apply", "--cached", "--whitespace=nowarn", patch], index);
      return (await run(["write-tree"], index)).toString("utf8").trim();
    },
    /** What changes from one tree to another, as a patch that git applies: of all files, or of those named. */
    async diff(from: string, to: string, paths?: readonly string[]): Promise<Buffer> {
      const asked = ["diff", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", from, to];
      if (!paths) return run(asked);
      const patches: Buffer[] = [];
      for (const part of inParts(paths)) patches.push(await run([...asked, "--", ...part]));
      return Buffer.concat(patches);
    },
    /** Writes all files of a commit, or those named, below a folder. */
    async writeFiles(commit: string, folder: string, paths?: readonly string[]): Promise<void> {
      await mkdir(folder, { recursive: true });
      const index = { GIT_INDEX_FILE: `${gitDir}/forge-index`, GIT_WORK_TREE: folder };
      await run(["read-tree", commit], index);
      if (!paths) await run(["checkout-index", "--all", "--force"], index);
      else for (const part of inParts(paths)) await run(["checkout-index", "--force", "--", ...part], index);
    },
  };
}

/** As many paths as a command line holds, however long they are. */
function inParts(paths: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (let i = 0; i < paths.length; i += 200) parts.push(paths.slice(i, i + 200));
  return parts;
}

export type GitObjects = Awaited<ReturnType<typeof createGitObjects>>;
