import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { CannotError, ConfigError } from "../../harness/errors.ts";

/** Absolute folders of the jobs below a folder, in the order of their names. @throws CannotError where the folder is not there. */
export async function jobsBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => {
    throw new CannotError(`There is no folder ${folder}, so no job in it; forge bench makes one, or name another folder.`);
  });
  const folders = names.toSorted().map((name) => resolve(folder, name));
  return folders.filter((path) => existsSync(join(path, "lock.json")));
}

/** The absolute folder of a job that a person named: by its path, or by the beginning of its name in `jobs`. */
export async function findJob(name: string): Promise<string> {
  if (existsSync(join(name, "lock.json"))) return resolve(name);
  const jobs = existsSync("jobs") ? await jobsBelow("jobs") : [];
  const found = jobs.filter((path) => basename(path).startsWith(name));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (found.length > 1)
    throw new ConfigError(
      `"${name}" fits ${found.length} jobs: ${found.map((path) => basename(path)).join(", ")}; write more of the name.`,
    );
  throw new CannotError(`There is no job "${name}", neither as a folder nor in ./jobs; \`forge jobs list\` shows the jobs there are.`);
}
