import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import { readWhole } from "../read/read-whole.ts";
import { openBlobStore } from "../format/blob-store.ts";
import { atPlace, blobsOf } from "../format/decode.ts";
import { readSeal } from "../format/seal.ts";
import { claimWriting } from "../format/writer-claim.ts";

export interface CollectedBlobs {
  /** Blobs that the trace refers to. */
  readonly kept: number;
  /** What nothing refers to, and the halves of blobs that a killed process left. */
  readonly removed: number;
  readonly bytes: number;
  /** Files and folders below `blobs` that no Forge put there: left where they are. */
  readonly foreign: number;
}

/**
 * Removes the blobs of a sealed trace that no event refers to, or with `dryRun` counts them. All events are read and checked first: nothing is removed of
 * a trace that is damaged or lacks a blob.
 * @throws CannotError for a trace without a seal or that is being written, DamagedError for one that fails its hashes
 */
export async function collectBlobs(folder: string, o: { readonly dryRun: boolean }): Promise<CollectedBlobs> {
  if (!readSeal(folder))
    throw new CannotError(`The trace in ${folder} is not sealed, so what it refers to is not known; forge traces recover seals it.`);
  const release = claimWriting(folder);
  try {
    const blobs = openBlobStore(join(folder, "blobs"));
    const needed = new Set<string>();
    await readWhole(folder, ({ event, offset }) => {
      const place = `${folder}: event ${event.seq} (${event.lane}#${event.n}, byte ${offset})`;
      for (const { hash } of blobsOf(event.d, (name) => blobs.get(name), place)) {
        if (!needed.has(hash)) atPlace(place, () => blobs.get(hash));
        needed.add(hash);
      }
    });
    const { unneeded, foreign } = list(join(folder, "blobs"), needed);
    if (!o.dryRun) for (const { path } of unneeded) rmSync(path);
    return { kept: needed.size, removed: unneeded.length, bytes: unneeded.reduce((sum, one) => sum + one.bytes, 0), foreign };
  } finally {
    release();
  }
}

/** Links are not followed: what lies behind them is not the run's. */
function list(root: string, needed: ReadonlySet<string>): { unneeded: { path: string; bytes: number }[]; foreign: number } {
  const unneeded: { path: string; bytes: number }[] = [];
  let foreign = 0;
  if (!lstatSync(root, { throwIfNoEntry: false })?.isDirectory()) return { unneeded, foreign };
  for (const first of readdirSync(root, { withFileTypes: true })) {
    if (!first.isDirectory() || !/^[0-9a-f]{2}$/.test(first.name)) {
      foreign++;
      continue;
    }
    for (const entry of readdirSync(join(root, first.name), { withFileTypes: true })) {
      const path = join(root, first.name, entry.name);
      const [, hash] = /^([0-9a-f]{64})(?:\.part)?$/.exec(entry.name) ?? [];
      if (!entry.isFile() || !hash?.startsWith(first.name)) foreign++;
      else if (!needed.has(entry.name)) unneeded.push({ path, bytes: lstatSync(path).size });
    }
  }
  return { unneeded, foreign };
}
