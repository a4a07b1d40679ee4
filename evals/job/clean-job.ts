import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pool } from "../../harness/pool.ts";
import { jobFolder } from "./job-folder.ts";
import { makerEnded } from "./maker.ts";

/** Drafts of files that were being written when their writer ended. */
const draft = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.new$/;

/**
 * What of a job's folder nobody needs: attempts and regrades that were broken off, attempts set aside, and drafts of files. Never a result, a sealed trace,
 * or an attempt with a record. Absolute paths. Only for a job that nobody runs.
 */
export async function findLeavings(path: string): Promise<string[]> {
  const job = jobFolder(path);
  const here = await readdir(path);
  const leavings = here.filter((name) => draft.test(name) || name === "journal.jsonl.torn").map((name) => join(path, name));
  leavings.push(...(await namesIn(job.unfinished)));
  for (const regrade of await namesIn(join(path, "regrades")))
    if (regrade.endsWith(".part") && (await makerEnded(regrade))) leavings.push(regrade);
  for (const task of await namesIn(join(path, "trials")))
    for (const configuration of await namesIn(task))
      for (const repeat of await namesIn(configuration))
        for (const entry of await namesIn(repeat))
          if (draft.test(entry) || (/attempt-\d+$/.test(entry) && !(await exists(join(entry, "record.json"))))) leavings.push(entry);
  return leavings;
}

/** Removes what `findLeavings` found. */
export async function removeLeavings(paths: readonly string[]): Promise<void> {
  await pool(paths, 4, (path) => rm(path, { recursive: true, force: true }));
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
