import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { CannotError, DamagedError } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import { isObject } from "../../harness/json.ts";

/** Written by a Forge to come. */
export class LaterVersionError extends CannotError {}

/** @param what is of that version: a file, or a place in one */
export const laterVersion = (what: string, version: number): LaterVersionError =>
  new LaterVersionError(`${what} is of version ${version}, and this Forge reads version 1. Update Forge, or leave the run out.`);

/** The version that a parsed value says it is of, where that is one to come. */
export function laterThanOurs(value: unknown): number | undefined {
  const version = isObject(value) ? value["v"] : undefined;
  return typeof version === "number" && Number.isSafeInteger(version) && version > 1 ? version : undefined;
}

/**
 * Refuses a file that says it is of a later version. It is believed where it fits its own digest as ours do, or where `believed` has another reason to: else one
 * changed byte would pass for it.
 * @throws CannotError for a later version, DamagedError for what only says so
 */
export function refuseLaterFile(path: string, text: string, o: { readonly believed?: () => boolean } = {}): void {
  const version = laterThanOurs(parsed(text));
  if (version === undefined) return;
  if (fitsDigest(text) || o.believed?.() === true) throw laterVersion(path, version);
  throw new DamagedError(
    `${path} has version ${version} and fails its own digest, unless that version has another one (this Forge reads version 1). Restore it from a copy.`,
  );
}

/** Whether the first bytes of a file, which need not be there, are those of a later version. */
export function beginsLater(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return false; // who reads it says so
  }
  try {
    const head = Buffer.alloc(24);
    const read = fstatSync(file).isFile() ? readSync(file, head, 0, head.length, 0) : 0;
    return Number(/^\{"v":(\d{1,15})[,}]/.exec(head.toString("latin1", 0, read))?.[1] ?? 1) > 1;
  } finally {
    closeSync(file);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seals and member tables end with the digest of all before it. */
function fitsDigest(text: string): boolean {
  const [end, digest] = /,"digest":"([0-9a-f]{64})"\}\n$/.exec(text.slice(-100)) ?? [];
  return end !== undefined && sha256(`${text.slice(0, -end.length)}}`) === digest;
}
