import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { execa, ExecaError } from "execa";
import { CannotError, ConfigError } from "../../../harness/errors.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import { gitEnvironment } from "../../../harness/sandbox/workspace/git-environment.ts";
import { withoutSecret, type GitSource } from "./git-source.ts";

/**
 * The folder with the files of a commit, fetched once into `cache` and checked against the commit each time. Two processes may ask at a time.
 * Throws `CannotError` without git or network, `ConfigError` where the repository has no such commit or folder.
 */
export async function fetchCommit({ url, commit, path }: GitSource, cache: string, o: { signal?: AbortSignal } = {}): Promise<string> {
  const name = sha256(url).slice(0, 16);
  const home = join(cache, "datasets", "git", name, commit);
  if (existsSync(home)) await restore(home, commit, o);
  else await fetchInto(home, { url, commit }, o);
  const folder = path === undefined ? join(home, "files") : join(home, "files", path);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new ConfigError(`dataset ${withoutSecret(url)}@${commit}: has no folder "${path ?? ""}". Name one that is there.`);
  return folder;
}

async function fetchInto(home: string, { url, commit }: GitSource, o: { signal?: AbortSignal }): Promise<void> {
  const made = `${home}.${randomUUID()}`;
  await mkdir(join(made, "files"), { recursive: true });
  try {
    await git(made, ["init", "--quiet"], o);
    const alone = ["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", url, commit];
    const all = ["fetch", "--quiet", "--no-recurse-submodules", url, "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"];
    try {
      await git(made, alone, o);
    } catch (error) {
      o.signal?.throwIfAborted();
      // Some servers give only what a branch or a tag names.
      await git(made, all, o).catch((second: unknown) => {
        throw new CannotError(
          `dataset ${withoutSecret(url)}@${commit}: git could not fetch it (${reasonOf(second, url)}). Check the address and the network.`,
          {
            cause: error,
          },
        );
      });
    }
    await git(made, ["checkout", "--quiet", "--force", "--detach", commit], o).catch((error: unknown) => {
      throw new ConfigError(
        `dataset ${withoutSecret(url)}@${commit}: the repository has no such commit (${reasonOf(error, url)}). Give one that it has.`,
      );
    });
    await rename(made, home).catch(async (error: unknown) => {
      if (!existsSync(home)) throw error; // else another process was faster
    });
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** What was changed in the cache since becomes the commit's again. */
async function restore(home: string, commit: string, o: { signal?: AbortSignal }): Promise<void> {
  const { stdout } = await git(home, ["status", "--porcelain", "--ignored", "--untracked-files=all"], o);
  if (stdout === "") return;
  await git(home, ["checkout", "--quiet", "--force", "--detach", commit], o);
  await git(home, ["clean", "-ffdxq"], o);
}

/** Git with nothing that a repository or its address could start: no hooks, no filters, no transport that is a program. */
function git(home: string, args: readonly string[], { signal }: { signal?: AbortSignal }): Promise<{ stdout: string }> {
  const safe = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.autocrlf=false",
    "-c",
    "advice.detachedHead=false",
  ];
  const filters = ["-c", "filter.lfs.smudge=", "-c", "filter.lfs.process=", "-c", "filter.lfs.required=false"];
  const place = [`--git-dir=${join(home, "git")}`, `--work-tree=${join(home, "files")}`];
  return execa("git", [...safe, ...filters, ...place, ...args], {
    cwd: join(home, "files"),
    env: gitEnvironment({ GIT_TERMINAL_PROMPT: "0", GIT_ALLOW_PROTOCOL: "http:https:ssh:git:file", LC_ALL: "C" }),
    extendEnv: false,
    stdin: "ignore",
    ...(signal && { cancelSignal: signal }),
  });
}

function reasonOf(error: unknown, url: string): string {
  if (!(error instanceof ExecaError)) return String(error);
  if (error.code === "ENOENT") return "git is not installed";
  const lines = String(error.stderr ?? "").split("\n");
  const line = lines.find((one) => /^(fatal|error):/.test(one)) ?? lines[0] ?? "";
  return withoutSecret(line.replaceAll(url, withoutSecret(url))).slice(0, 200);
}
