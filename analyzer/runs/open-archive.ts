import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { holdsJob, unpackJob } from "../../evals/archive/open-archive.ts";
import { makeTemporaryFolder } from "../../harness/files/temporary-folder.ts";
import { nameOpened } from "../../traces/read/run-name.ts";
import { openBundle } from "../../traces/store/open-bundle.ts";

const maxBytes = 4e9;
/** What an attempt has beside its trace, its verdict and what its tests printed. */
const unread = /\/(?:delta|ended)\.json$/;
/** Read as empty where it is missing. */
const printed = /\/verifier\/std(?:out|err)\.txt$/;

/** An archive of a job or a bundle of runs, unpacked until this process ends. */
export interface OpenedArchive {
  readonly folder: string;
  /** Files that are not as the archive was made, relative to `folder`. */
  readonly changed: readonly string[];
}

const opened = new Map<string, Promise<OpenedArchive>>();

/** Opens a file once in a process. Throws as `unpackJob` and `openBundle`. */
export function openArchive(file: string, signal: AbortSignal): Promise<OpenedArchive> {
  const known = opened.get(resolve(file));
  if (known) return known;
  const opening = open(file, signal);
  opened.set(resolve(file), opening);
  return opening;
}

async function open(file: string, signal: AbortSignal): Promise<OpenedArchive> {
  if (!(await holdsJob(file))) return { folder: await openBundle(file), changed: [] };
  const folder = join(makeTemporaryFolder("forge-analyzed"), "job");
  mkdirSync(folder);
  nameOpened(folder, file);
  const { changed } = await unpackJob(file, folder, {
    maxBytes,
    signal,
    leaves: (path, size) => unread.test(path) || (size === 0 && printed.test(path)),
  });
  return { folder, changed };
}
