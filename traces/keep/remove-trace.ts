import { lstatSync, readdirSync, rmSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import { isPinned } from "../format/pin.ts";
import { claimWriting } from "../format/writer-claim.ts";

/** What the recorder writes. The trace itself stands last: one whose removal was interrupted is still found, and removed the next time. */
const own = /^(?:seal\.json|blobs|torn-\d+|trace\.jsonl\.gz\.json|trace\.jsonl\.gz|trace\.jsonl)(?:\.part)?$/;
const isTrace = (name: string): boolean => name === "trace.jsonl" || name === "trace.jsonl.gz";

/** Bytes on disk of a run's trace with its payloads; what else lies in its folder is not counted. Links count as links. */
export function storedBytes(folder: string): number {
  return ownFiles(folder).reduce((sum, name) => sum + bytesOf(join(folder, name)), 0);
}

/**
 * Removes a run's trace and payloads, and its folder where nothing else is in it.
 * @throws CannotError for a run that is pinned or being written
 */
export function removeTrace(folder: string): void {
  if (isPinned(folder)) throw new CannotError(`The run in ${folder} is pinned and stays; forge traces pin --undo lets it go.`);
  const release = claimWriting(folder);
  try {
    for (const name of ownFiles(folder)) rmSync(join(folder, name), { recursive: true });
  } finally {
    release();
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

/** Names of the files and folders that the recorder wrote, the trace last. */
export const ownFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => own.test(name))
    .toSorted((a, b) => Number(isTrace(a)) - Number(isTrace(b)));

function bytesOf(path: string): number {
  const found = lstatSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}
