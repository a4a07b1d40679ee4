import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../../harness/hash/sha256.ts";
import { hasEnded, thisOwner } from "../../../harness/sandbox/owner.ts";

/** No folder of a run begins so. */
const prefix = ".part-";
/** Of another machine it cannot be told whether its process lives; nobody imports one run for so long. */
const oldestMs = 24 * 3600 * 1000;
let made = 0;
const swept = new Set<string>();

/**
 * Folders in `parent` in which this process may write a run, and keep what was there, before it takes its place: no other import has the same ones. What imports
 * of ended processes began to write is removed, once for each parent; what they had put aside is not.
 */
export function partFolder(parent: string): { readonly part: string; readonly aside: string } {
  const owner = thisOwner();
  const place = sha256(owner.place).slice(0, 8);
  if (!swept.has(parent)) {
    swept.add(parent);
    for (const name of namesIn(parent)) {
      const [, where, process] = /^\.part-([0-9a-f]{8})-(\d+-\d+)-\d+$/.exec(name) ?? [];
      if (where === undefined || process === undefined) continue;
      const path = join(parent, name);
      const age = Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (where === place ? hasEnded({ process, place: owner.place }) : age > oldestMs) rmSync(path, { recursive: true, force: true });
    }
  }
  const id = `${place}-${owner.process}-${made++}`;
  return { part: join(parent, `${prefix}${id}`), aside: join(parent, `.aside-${id}`) };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it is made when something is written
  }
}
