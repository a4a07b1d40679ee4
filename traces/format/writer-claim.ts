import { linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, CannotError, DamagedError } from "../../harness/errors.ts";
import { readSmallFile } from "./read-small-file.ts";
import { hasEnded, thisOwner, type Owner } from "../../harness/sandbox/owner.ts";

/** Who writes a trace, in `writer.json` beside it while it is open: one that is left there belongs to a process that was ended. */
const fileName = "writer.json";

/** The process that writes a run's trace now, or may do so on another machine; undefined when nobody does. */
export function writerOf(folder: string): Owner | undefined {
  const owner = readOwner(join(folder, fileName));
  return owner && !hasEnded(owner) ? owner : undefined;
}

/**
 * Makes the caller the only writer of a run's trace; answers how to let go of it. A claim that its process left behind is taken over: it is moved away
 * first, which only one can do, and what was moved is looked at again.
 * @throws CannotError while another process may be writing.
 */
export function claimWriting(folder: string): () => void {
  const path = join(folder, fileName);
  refuseWhileHeld(folder, readOwner(path));
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    const moved = readOwner(aside);
    if (moved && !hasEnded(moved)) linkSync(aside, path);
    rmSync(aside, { force: true });
    refuseWhileHeld(folder, moved);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  try {
    writeFileSync(path, `${JSON.stringify(thisOwner())}\n`, { flag: "wx" });
  } catch (error) {
    if (codeOf(error) === "EEXIST") refuseWhileHeld(folder, readOwner(path) ?? thisOwner());
    throw error;
  }
  return () => rmSync(path, { force: true });
}

function refuseWhileHeld(folder: string, owner: Owner | undefined): void {
  if (!owner || hasEnded(owner)) return;
  throw new CannotError(
    `The trace in ${folder} is being written by process ${Number.parseInt(owner.process, 10)}; wait for it to end, or remove ${fileName} there if it ran on another machine and has ended.`,
  );
}

/** No claim is nearly as long. */
const maxClaimBytes = 64 * 1024;

/** One that is no JSON was never whole: its process ended while it wrote it. @throws CannotError for what is no file of its own or cannot be read: then nobody knows who writes */
function readOwner(path: string): Owner | undefined {
  const text = claimText(path);
  if (text === undefined) return undefined;
  try {
    const { process: id, place } = JSON.parse(text) as Partial<Owner>; // checked below
    return typeof id === "string" && typeof place === "string" ? { process: id, place } : undefined;
  } catch {
    return undefined;
  }
}

function claimText(path: string): string | undefined {
  try {
    return readSmallFile(path, maxClaimBytes);
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    throw new CannotError(`Who writes this trace is not known: ${error.message}`);
  }
}
