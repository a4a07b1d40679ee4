import { closeSync, fsyncSync, ftruncateSync, lstatSync, openSync, readSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import type { JsonObject } from "../../harness/json.ts";
import { readTrace } from "../read/read-trace.ts";
import { openTraceBytes } from "../read/trace-bytes.ts";
import { readSeal } from "../format/seal.ts";
import { createTraceWriter, evidenceLane, type RecorderOptions } from "../record/trace-writer.ts";
import { claimWriting } from "../format/writer-claim.ts";

export interface Recovered {
  /** Events that were whole. */
  readonly events: number;
  /** Bytes behind them that were none. */
  readonly torn: number;
  /** Where those bytes are now, within the folder. */
  readonly aside: string | undefined;
}

/**
 * Ends the trace of a process that was ended: keeps the longest valid prefix, moves what was torn into a file beside it, says so by a `recovered`
 * event, and seals. Answers undefined for a trace that has a seal. Ended itself in the middle, it can be done again.
 * @throws CannotError while the run goes on, or when there is no whole event; DamagedError for damage before the torn tail.
 */
export async function recoverTrace(folder: string, o: RecorderOptions): Promise<Recovered | undefined> {
  if (readSeal(folder)) {
    openTraceBytes(folder); // what was sealed may be gone
    return undefined;
  }
  const release = claimWriting(folder);
  try {
    if (readSeal(folder)) {
      release();
      return undefined; // another process was first
    }
    const lanes = new Map<string, string>();
    const state = { seq: 0, bytes: 0, head: "", dt: 0, evidence: 0 };
    let torn = 0;
    let said: JsonObject | undefined; // by a recovery that was ended before it could seal
    for await (const { event, offset, length } of readTrace(folder, (tail) => void (torn = tail.bytes))) {
      lanes.set(event.lane, event.s);
      Object.assign(state, { seq: event.seq + 1, bytes: offset + length, head: event.h, dt: event.dt });
      if (event.lane === evidenceLane) state.evidence = event.n + 1;
      said = event.t === "recovered" ? event.d : undefined;
    }
    if (state.seq === 0) throw new CannotError(`The trace in ${folder} has no whole event: nothing was recorded before its process ended.`);
    const file = openSync(join(folder, "trace.jsonl"), "r+");
    const trace = createTraceWriter({ ...o, folder, file, begin: { ...state, lanes }, release });
    try {
      if (said && torn === 0) {
        trace.seal(null);
        const { bytes, aside } = said;
        return { events: state.seq - 1, torn: Number(bytes), aside: typeof aside === "string" ? aside : undefined };
      }
      const set = setAside(file, { folder, offset: state.bytes, torn });
      trace.evidence("recovered", { bytes: set?.bytes ?? 0, offset: state.bytes, ...(set ? { aside: set.aside } : {}) });
      trace.seal(null);
      return { events: state.seq, torn: set?.bytes ?? 0, aside: set?.aside };
    } finally {
      trace.close();
    }
  } catch (error) {
    release();
    throw error;
  }
}

const pieceBytes = 1024 * 1024;

/**
 * Moves the torn tail, which may be larger than memory, behind what a recovery that was ended itself has set aside from the same place; answers where it is and
 * how many bytes lie there. It is durable in its new place before it leaves the old one.
 */
function setAside(
  file: number,
  { folder, offset, torn }: { folder: string; offset: number; torn: number },
): { aside: string; bytes: number } | undefined {
  const aside = `torn-${offset}`;
  const path = join(folder, aside);
  const before = lstatSync(path, { throwIfNoEntry: false });
  if (before && !before.isFile()) throw new CannotError(`${path} is no file, and torn bytes belong there; move it away.`);
  const known = before?.size ?? 0;
  if (torn === 0) return before ? { aside, bytes: known } : undefined;
  const moved = known >= torn && endsWith(path, { from: known - torn, file, offset });
  if (!moved) {
    const part = `${path}.part`; // has the name only when it is whole
    const target = openSync(part, "w");
    try {
      if (before) copyFrom(path, target);
      copy(file, offset, target);
      fsyncSync(target);
    } finally {
      closeSync(target);
    }
    renameSync(part, path);
    syncFolder(folder);
  }
  ftruncateSync(file, offset);
  fsyncSync(file);
  return { aside, bytes: moved ? known : known + torn };
}

function copyFrom(path: string, target: number): void {
  const source = openSync(path, "r");
  try {
    copy(source, 0, target);
  } finally {
    closeSync(source);
  }
}

function copy(source: number, from: number, target: number): void {
  for (const piece of pieces(source, from)) for (let done = 0; done < piece.length;) done += writeSync(target, piece, done);
}

/** Whether the bytes of a file from `from` on are those of the trace from `offset` on. */
function endsWith(path: string, { from, file, offset }: { from: number; file: number; offset: number }): boolean {
  const other = openSync(path, "r");
  try {
    const tail = pieces(other, from);
    for (const piece of pieces(file, offset)) if (!piece.equals(tail.next().value ?? Buffer.alloc(0))) return false;
    return true;
  } finally {
    closeSync(other);
  }
}

function* pieces(file: number, from: number): Generator<Buffer, undefined> {
  for (let at = from; ;) {
    const piece = Buffer.alloc(pieceBytes);
    let length = 0;
    for (let read = 1; read > 0 && length < pieceBytes; length += read)
      read = readSync(file, piece, length, pieceBytes - length, at + length);
    if (length === 0) return;
    yield piece.subarray(0, length);
    at += length;
  }
}

/** So that the name of the new file is as durable as its bytes. */
function syncFolder(folder: string): void {
  const opened = openSync(folder, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
