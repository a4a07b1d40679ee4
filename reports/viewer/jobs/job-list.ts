import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { jobOverview, type JobOverview } from "../../../evals/job/job-overview.ts";
import { ForgeError } from "../../../harness/errors.ts";
import { sentence } from "../sentence.ts";

/** The jobs at and below the folders that are shown, as they are now. */
export interface JobList {
  /** The newest first; `damaged`: sentences about those that cannot be read. */
  all(): Promise<{ readonly jobs: readonly JobOverview[]; readonly damaged: readonly string[] }>;
}

export function createJobList(roots: readonly string[]): JobList {
  /** Of jobs that nobody works on, by the times of their files. */
  const known = new Map<string, { readonly times: string; readonly overview: JobOverview }>();
  const overviewOf = async (folder: string): Promise<JobOverview> => {
    const times = (await Promise.all(["lock.json", "journal.jsonl", "result.json"].map((name) => changedAt(join(folder, name))))).join();
    const before = known.get(folder);
    if (before?.times === times) return before.overview;
    const overview = await jobOverview(folder);
    if (overview.runner) known.delete(folder);
    else known.set(folder, { times, overview });
    return overview;
  };
  return {
    async all() {
      const jobs: JobOverview[] = [];
      const damaged: string[] = [];
      for (const folder of await jobFolders(roots))
        try {
          jobs.push(await overviewOf(folder));
        } catch (error) {
          if (!(error instanceof ForgeError)) throw error;
          damaged.push(sentence(error));
        }
      return { jobs: jobs.toSorted((a, b) => b.touchedAt - a.touchedAt), damaged };
    },
  };
}

/** A root that is a job, or those that lie directly in it. */
export async function jobFolders(roots: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const root of roots) {
    if (isJob(root)) found.push(root);
    else for (const name of await namesIn(root)) if (isJob(join(root, name))) found.push(join(root, name));
  }
  return [...new Set(found)];
}

/** Empty where the folder is gone. */
const namesIn = async (folder: string): Promise<string[]> => {
  const names: string[] = await readdir(folder).catch(() => []);
  return names.toSorted();
};

const isJob = (folder: string): boolean => existsSync(join(folder, "lock.json"));
const changedAt = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
