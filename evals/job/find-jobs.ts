import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { CannotError, ConfigError } from "../../harness/errors.ts";

/** Where jobs are when nothing is said. */
const usual = "jobs";
/** Of a job's id, at least so much is shown. */
const fewestLetters = 4;

/** Absolute folders of the jobs below a folder, in the order of their names. @throws CannotError where the folder is not there. */
export async function jobsBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => {
    throw new CannotError(`There is no folder ${folder}, so no job in it; forge bench makes one, or name another folder.`);
  });
  const folders = names.toSorted().map((name) => resolve(folder, name));
  return folders.filter((path) => existsSync(join(path, "lock.json")));
}

/** The absolute folder of a job that a person named: its path, the name it was given, or the beginning of its id, in `jobs` or as `FOLDER/ID`. */
export async function findJob(name: string): Promise<string> {
  const found = await jobNamed(name);
  if (found !== undefined) return found;
  throw new CannotError(`There is no job "${name}", neither as a folder nor in ./jobs; \`forge jobs list\` shows the jobs there are.`);
}

/** As `findJob`; undefined where there is none. @throws ConfigError where several fit */
export async function jobNamed(name: string): Promise<string | undefined> {
  if (existsSync(join(name, "lock.json"))) return resolve(name);
  const folder = name.includes("/") ? dirname(name) : usual;
  const jobs = existsSync(folder) ? await jobsBelow(folder) : [];
  const asked = basename(name);
  if (jobs.length === 0 || asked === "") return undefined;
  const exact = jobs.find((path) => basename(path) === asked);
  if (exact !== undefined) return exact;
  const names = new Map(await Promise.all(jobs.map(async (path) => [path, await givenName(path)] as const)));
  const given = jobs.filter((path) => names.get(path) === asked);
  const found = given.length > 0 ? given : jobs.filter((path) => basename(path).startsWith(asked) || names.get(path)?.startsWith(asked));
  if (found.length > 1) {
    const fitting = (await jobWords(found)).values();
    throw new ConfigError(`"${name}" fits ${found.length} jobs: ${[...fitting].join(", ")}; write more of the name.`);
  }
  return found[0];
}

/** The name that was given to a job by `--name`; undefined where none was, or its lock cannot be read. */
export async function givenName(job: string): Promise<string | undefined> {
  const text = await readFile(join(job, "lock.json"), "utf8").catch(() => "");
  if (!text.includes('"name"')) return undefined;
  try {
    const { name } = JSON.parse(text) as { name?: unknown }; // looked at in the next line
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}

/** What a person writes in this folder to name each of these jobs: its name, else the least of its id that fits no other, else its path. */
export async function jobWords(folders: readonly string[]): Promise<Map<string, string>> {
  const beside = new Map<string, string[]>();
  const words = new Map<string, string>();
  for (const folder of folders) {
    const parent = dirname(resolve(folder));
    if (!beside.has(parent)) beside.set(parent, existsSync(parent) ? await jobsBelow(parent) : []);
    const inUsual = parent === resolve(usual);
    const name = await givenName(folder);
    const short =
      name ??
      shortId(
        basename(folder),
        (beside.get(parent) ?? []).map((path) => basename(path)),
      );
    words.set(folder, inUsual ? short : name === undefined && short === basename(folder) ? pathOf(folder) : join(pathOf(parent), short));
  }
  return words;
}

/** As `jobWords`, of one. */
export const jobWord = async (folder: string): Promise<string> => (await jobWords([folder])).get(folder) ?? folder;

/** The shorter of the path from here and the whole one. */
function pathOf(folder: string): string {
  const [from, whole] = [relative(process.cwd(), folder) || ".", resolve(folder)];
  return from.length <= whole.length ? from : whole;
}

/** Ids are of hexadecimal digits; what else a folder is called is its user's word, and stays whole. */
function shortId(id: string, beside: readonly string[]): string {
  if (!/^[0-9a-f]{12}$/.test(id)) return id;
  const others = beside.filter((other) => other !== id);
  for (let length = fewestLetters; length < id.length; length++)
    if (!others.some((other) => other.startsWith(id.slice(0, length)))) return id.slice(0, length);
  return id;
}
