import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CannotError, messageOf } from "../../harness/errors.ts";

/** A file beside a trace that says: keep this. */
const fileName = "pin.json";

/** Whether a run was asked to be kept. What the file says does not matter, only that it is there. */
export const isPinned = (folder: string): boolean => existsSync(join(folder, fileName));

/** Keeps a run from being pruned, or lets it go again; answers whether that changed anything. Throws `CannotError` where the folder cannot be written. */
export function pinRun(folder: string, o: { readonly pinned: boolean; readonly now: number }): boolean {
  if (isPinned(folder) === o.pinned) return false;
  const path = join(folder, fileName);
  try {
    if (o.pinned) writeFileSync(path, `${JSON.stringify({ v: 1, at: o.now })}\n`);
    else rmSync(path);
  } catch (error) {
    throw new CannotError(`Cannot write ${path}: ${messageOf(error)}. Choose a folder that can be written.`);
  }
  return true;
}
