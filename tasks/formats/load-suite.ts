import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join, resolve, sep } from "node:path";
import { CannotError, ConfigError, messageOf } from "../../harness/errors.ts";
import { createSemaphore } from "../../harness/semaphore.ts";
import type { RefusedTask, Suite, Task } from "../task.ts";
import { unsupported } from "../unsupported.ts";
import { checkData } from "./read/check-data.ts";
import { gitSource, withoutSecret, type GitSource } from "./dataset/git-source.ts";
import { isManifest, readManifest, type Manifest } from "./dataset/read-manifest.ts";
import { nameOf } from "./harbor/load-harbor.ts";
import { taskToml } from "./harbor/task-toml.ts";
import { formatOf, loadTask, type LoadTaskOptions } from "./load-task.ts";
import { ownSuites, ownSuitesFolder } from "./own-suites.ts";
import { readPart } from "./read/read-part.ts";
import { readToml } from "./read/read-toml.ts";

export interface LoadOptions extends LoadTaskOptions {
  /** Which tasks of a suite are wanted, by name. Of the others only the name is read. */
  readonly wants?: (name: string) => boolean;
  /** Where repositories are kept. Default: `$FORGE_CACHE`, else `forge` in the user's cache folder, by `variables`. */
  readonly cache?: string;
  readonly signal?: AbortSignal;
}

/**
 * Loads a suite: a folder of tasks (formats may be mixed), one task (a suite of one), a name of ours (`builtin`, `demo`), a repository at a commit
 * (`git+<url>@<commit>#<folder>`), or a manifest with digests. Tasks come in the order of their folders' names, or of the manifest. A task that
 * cannot be loaded or fetched, asks for what Forge does not carry out, or has the name of one before it is `refused` with its reason, and its
 * neighbours are loaded. Throws `ConfigError` when there is no task, or none can be loaded.
 */
export async function loadSuite(pathOrName: string, o: LoadOptions = {}): Promise<Suite> {
  const source = gitSource(pathOrName);
  if (source) {
    const { fetchCommit } = await loadFetchCommit();
    const fetched = await fetchCommit(source, cacheOf(o), o);
    const { folders, refused } = await foldersIn(fetched);
    if (folders.length > 0) return withRefused(await suiteOf(suiteName(source), folders, o), refused);
    throw new ConfigError(`dataset ${withoutSecret(pathOrName)}: holds no task there. Name the folder of the tasks behind a #.`);
  }
  const named = ownSuites.some((name) => name === pathOrName);
  const folder = named ? join(ownSuitesFolder(), pathOrName) : resolve(pathOrName);
  if (!existsSync(folder)) {
    throw new ConfigError(
      `suite "${pathOrName}": there is no such folder, and the suites of Forge are ${ownSuites.join(" and ")}. Give one of them, or a folder of tasks.`,
    );
  }
  if (isManifest(folder) && (await stat(folder)).isFile()) return manifestSuite(await readManifest(folder), o);
  if (!(await stat(folder)).isDirectory())
    throw new ConfigError(`suite "${pathOrName}": is a file. Give a folder of tasks, or a manifest that ends in .json, .yaml or .toml.`);
  const { folders, refused } = await foldersIn(folder);
  if (folders.length === 0) {
    throw new ConfigError(
      `suite "${pathOrName}": ${folder} holds no task. Give a folder with task.toml or task.yaml, or one whose folders have one.`,
    );
  }
  return withRefused(await suiteOf(named ? pathOrName : basename(folder), folders, o), refused);
}

/** With what runs git, which most suites have no need of. */
const loadFetchCommit = () => import("./dataset/fetch-commit.ts");

async function manifestSuite({ name, entries, warnings }: Manifest, o: LoadOptions): Promise<Suite> {
  const digests = new Map<string, string>();
  const unfetched: RefusedTask[] = [];
  let failure: ConfigError | CannotError | undefined;
  for (const { source, digest } of entries) {
    if (source.type === "folder") {
      digests.set(source.folder, digest);
      continue;
    }
    const { fetchCommit } = await loadFetchCommit();
    try {
      digests.set(await fetchCommit(source, cacheOf(o), o), digest);
    } catch (error) {
      o.signal?.throwIfAborted();
      if (!(error instanceof ConfigError || error instanceof CannotError)) throw error;
      failure ??= error;
      unfetched.push({
        name: basename(source.path ?? withoutSecret(source.url)),
        folder: withoutSecret(source.url),
        reason: messageOf(error),
      });
    }
  }
  if (digests.size === 0 && failure) throw failure;
  const suite = withRefused(await suiteOf(name, [...digests.keys()], o, digests), unfetched);
  const [first, ...others] = suite.tasks;
  return warnings.length === 0 || !first
    ? suite
    : { ...suite, tasks: [{ ...first, warnings: [...warnings, ...first.warnings] }, ...others] };
}

function cacheOf({ cache, variables = {} }: LoadOptions): string {
  const users = variables["XDG_CACHE_HOME"] || join(variables["HOME"] || homedir(), ".cache");
  return cache ?? (variables["FORGE_CACHE"] || join(users, "forge"));
}

/** The folder's or the repository's own name, with enough of the commit to tell two apart. */
function suiteName({ url, commit, path }: GitSource): string {
  return `${basename(path ?? url).replace(/\.git$/, "") || "dataset"}@${commit.slice(0, 12)}`;
}

/** A suite of these task folders, each held to its digest where there is one. */
async function suiteOf(name: string, folders: readonly string[], o: LoadOptions, digests?: ReadonlyMap<string, string>): Promise<Suite> {
  const byName = new Map<string, Task>();
  const refused: RefusedTask[] = [];
  const unwanted: string[] = [];
  const turn = createSemaphore(readAtOnce);
  const reads = folders.map(async (folder) => {
    const leave = await turn.acquire();
    try {
      return await readOne(folder, o);
    } finally {
      leave();
    }
  });
  for (const { folder, called, loaded } of await Promise.all(reads)) {
    if (loaded === undefined) {
      unwanted.push(called);
      continue;
    }
    try {
      if (loaded instanceof Error) throw loaded;
      const wanted = digests?.get(folder);
      if (wanted !== undefined && wanted !== loaded.digest)
        throw new ConfigError(
          `${folder}: the task's digest is ${loaded.digest}, and the manifest has ${wanted}. Restore its files, or correct the manifest.`,
        );
      const reason = unsupported(loaded);
      if (reason !== undefined) throw new ConfigError(reason);
      const twin = byName.get(loaded.name);
      if (twin) throw new ConfigError(`${folder}: ${twin.folder} is named "${loaded.name}" too. Give one of them another name.`);
      byName.set(loaded.name, loaded);
    } catch (error) {
      if (!(error instanceof ConfigError) && !isFileError(error)) throw error;
      refused.push({ name: called, folder, reason: messageOf(error) });
    }
  }
  const [first] = refused;
  const tasks = [...byName.values()];
  if (tasks.length === 0 && first)
    throw new ConfigError(
      folders.length === 1 ? first.reason : `suite "${name}": none of its tasks can be loaded. The first: ${first.reason}`,
    );
  if (tasks.length === 0) {
    const some = unwanted.slice(0, 20).join(", ") + (unwanted.length > 20 ? ", …" : "");
    throw new ConfigError(`--filter matches no task of suite "${name}". Available: ${some}.`);
  }
  const hash = createHash("sha256");
  for (const task of tasks) hash.update(`${JSON.stringify([task.name, task.digest])}\n`);
  return withRefused({ name, digest: hash.digest("hex"), tasks }, refused);
}

/** The suite, with more that was refused. */
const withRefused = (suite: Suite, more: readonly RefusedTask[]): Suite =>
  more.length === 0 ? suite : { ...suite, refused: [...(suite.refused ?? []), ...more] };

/** What of a task's file its name is read from. */
const named = taskToml.pick({ task: true }).loose();

/** The name a task goes by, or its folder's where it cannot be read: refusing it is for `loadTask`. */
async function nameIn(folder: string): Promise<string> {
  const file = join(folder, "task.toml");
  try {
    const text = await readPart(folder, "task.toml");
    return text === undefined ? basename(folder) : nameOf(checkData(readToml(text, file), named).config, folder);
  } catch (error) {
    if (error instanceof ConfigError) return basename(folder);
    throw error;
  }
}

/** A folder's task, or what loading it threw; undefined where it is not wanted. */
async function readOne(folder: string, o: LoadOptions): Promise<Read> {
  const called = o.wants && (await nameIn(folder));
  if (called !== undefined && !o.wants?.(called)) return { folder, called, loaded: undefined };
  try {
    const loaded = await loadTask(folder, o);
    return { folder, called: loaded.name, loaded };
  } catch (error) {
    return { folder, called: called ?? (await nameIn(folder)), loaded: error instanceof Error ? error : new Error(messageOf(error)) };
  }
}

interface Read {
  readonly folder: string;
  readonly called: string;
  readonly loaded: Task | Error | undefined;
}

/** Folders read side by side: most of the time goes by waiting for small files. */
const readAtOnce = 8;

/** The folder changed under us, or may not be read: the task's fault, not ours. */
const isFileError = (error: unknown): boolean => error instanceof Error && "code" in error && "syscall" in error;

/** A folder may be a task itself: then it is the only one. */
const foldersIn = async (folder: string): Promise<TaskFolders> =>
  formatOf(folder) === undefined ? taskFolders(folder) : { folders: [folder], refused: [] };

/** The folders of tasks in a folder; one whose name no text can be is refused. */
async function taskFolders(folder: string): Promise<TaskFolders> {
  const names: string[] = [];
  const refused: RefusedTask[] = [];
  for (const name of await readdir(folder, { encoding: "buffer" })) {
    const text = name.toString();
    if (isUtf8(name)) names.push(text);
    else if (formatOf(Buffer.concat([Buffer.from(`${folder}${sep}`), name])) !== undefined)
      refused.push({
        name: text,
        folder: join(folder, text),
        reason: `${join(folder, text)}: the name of this folder is not UTF-8 text. Rename it.`,
      });
  }
  const folders = names
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => formatOf(path) !== undefined);
  const [first] = refused;
  if (folders.length === 0 && first) throw new ConfigError(first.reason);
  return { folders, refused };
}

interface TaskFolders {
  readonly folders: readonly string[];
  readonly refused: readonly RefusedTask[];
}
