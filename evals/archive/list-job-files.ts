import { lstat, readdir } from "node:fs/promises";
import { join, posix } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import type { PackedFile } from "../../harness/archive/pack-archive.ts";
import { hashFile } from "../../harness/hash/hash-file.ts";
import { placeLimit } from "./archive-path.ts";
import type { CheckedJob } from "./check/check-job.ts";

export interface ListedJob {
  /** Sorted by path, by code units. */
  readonly files: readonly PackedFile[];
  /** What stays behind, and why. */
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
}

const drafts = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.new$|\.part$/;
/** Of a job's folder, by name, what no archive takes along. */
const stays: readonly { readonly name: RegExp; readonly why: string }[] = [
  { name: /^runner\.\d+\.json$/, why: "it names the process that held the job" },
  { name: /^unfinished$/, why: "attempts that were cut off are never scored" },
  { name: /^regrades$/, why: "regrades are results of other tests than the job's" },
  { name: /^journal\.jsonl\.torn$/, why: "it is what a crash left of a line" },
];
/** Names told of one reason. */
const maxLeftOut = 50;

/** The files of a job that was checked, with their hashes. What nobody of Forge's wrote there, and what is no file, is left out. @throws CannotError for a file of the job that is larger than an archive's reader takes */
export async function listJobFiles(
  folder: string,
  { attempts, blobs, trials }: Pick<CheckedJob, "attempts" | "blobs" | "trials">,
  signal: AbortSignal,
): Promise<ListedJob> {
  const leftOut: { path: string; why: string }[] = [];
  const leave = (path: string, why: string): void => void leftOut.push({ path, why });
  const paths: string[] = [];
  for (const name of await readdir(folder)) {
    const kept = stays.find((one) => one.name.test(name));
    if (kept) leave(name, kept.why);
    else if (!["config.json", "lock.json", "journal.jsonl", "result.json", "trials", "blobs"].includes(name))
      leave(name, "it is not of the job");
  }
  paths.push("config.json", "journal.jsonl", "lock.json", "result.json");
  for (const blob of blobs) paths.push(`blobs/${blob.slice(0, 2)}/${blob}`);
  for (const trial of trials) paths.push(`${trial}/result.json`);
  await leaveStrange(folder, { attempts, blobs, trials }, leave);
  for (const attempt of attempts) paths.push(...(await filesBelow(folder, attempt, leave)));
  const files: PackedFile[] = [];
  for (const path of paths.toSorted((a, b) => (a < b ? -1 : 1))) {
    signal.throwIfAborted();
    const limit = placeLimit(path);
    const { size } = await lstat(join(folder, path));
    if (limit === undefined) leave(path, "its name is none that a job gives");
    else if (size > limit)
      throw new CannotError(
        `${join(folder, path)} has ${size} bytes, and such a file of an archive has at most ${limit}; the job cannot be exported, keep its folder as it is.`,
      );
    else files.push({ path, ...(await hashFile(join(folder, path))) });
  }
  const more = leftOut.length - maxLeftOut;
  return { files, leftOut: more > 0 ? [...leftOut.slice(0, maxLeftOut), { path: `${more} more`, why: "for the same reasons" }] : leftOut };
}

/** Names what lies among trials and contents and is of no trial of the job. */
async function leaveStrange(
  folder: string,
  { attempts, blobs, trials }: Pick<CheckedJob, "attempts" | "blobs" | "trials">,
  leave: (path: string, why: string) => void,
): Promise<void> {
  const own = new Set([...attempts, ...[...trials].map((trial) => `${trial}/result.json`)]);
  for (const blob of blobs) own.add(`blobs/${blob.slice(0, 2)}/${blob}`);
  const above = new Set<string>();
  for (const path of own) for (let at = posix.dirname(path); at !== "."; at = posix.dirname(at)) above.add(at);
  const walk = async (at: string): Promise<void> => {
    for (const { name } of await readdir(join(folder, at), { withFileTypes: true })) {
      const path = `${at}/${name}`;
      if (above.has(path)) await walk(path);
      else if (!own.has(path)) leave(path, at.startsWith("blobs") ? "no trial of the job has it" : "it is of no trial of the job");
    }
  };
  for (const at of ["trials", "blobs"]) if (above.has(at)) await walk(at);
}

async function filesBelow(folder: string, at: string, leave: (path: string, why: string) => void): Promise<string[]> {
  const found: string[] = [];
  for (const raw of await readdir(join(folder, at), { withFileTypes: true, encoding: "buffer" })) {
    const name = raw.name.toString("utf8");
    const path = `${at}/${name}`;
    if (!Buffer.from(name).equals(raw.name)) leave(path, "its name is not UTF-8");
    else if (drafts.test(name)) leave(path, "it is a draft of a file");
    else if (raw.isDirectory()) found.push(...(await filesBelow(folder, path, leave)));
    else if (raw.isFile()) found.push(path);
    else leave(path, "it is a link or no file");
  }
  return found;
}
