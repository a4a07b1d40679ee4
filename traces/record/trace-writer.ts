import { closeSync, fdatasyncSync, ftruncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Clock, EventSink } from "../../harness/contract/ports.ts";
import { CannotError, messageOf } from "../../harness/errors.ts";
import type { EventType, RunEvent } from "../../harness/events/schema.ts";
import { isDeeperThan, type JsonObject, maxRecordedDepth } from "../../harness/json.ts";
import { openBlobStore } from "../format/blob-store.ts";
import { encodeData } from "../format/encode.ts";
import { firstHash, formatLine, laneDigest, maxLineBytes } from "../format/line.ts";
import { writeSeal } from "../format/seal.ts";

/** An open trace: the only writer of its file. */
export interface TraceRecorder extends EventSink {
  readonly folder: string;
  /** Adds what is neither input nor derived, such as `verifier.result`; allowed after `run.end`. */
  evidence(t: EventType, d: JsonObject): void;
  /** Writes `seal.json` last and closes. `workspace` is the hash of the final workdir, null where it was not taken. */
  seal(workspace: string | null): void;
  /** Closes without sealing, as when the process ends. */
  close(): void;
}

export interface RecorderOptions {
  readonly clock: Clock;
  /** Microseconds on a clock that only goes forward. */
  readonly micros: () => number;
  /** False leaves out `fdatasync`: for benchmarks of the loop. Default true. */
  readonly sync?: boolean;
}

/** The end of a file, from which the next line continues. */
export interface WriterState {
  readonly seq: number;
  readonly bytes: number;
  readonly head: string;
  /** `dt` of the last event. */
  readonly dt: number;
  /** The last digest of each lane. */
  readonly lanes: ReadonlyMap<string, string>;
  /** Ordinal of the next evidence. */
  readonly evidence: number;
}

/** The lane of what is recorded about a run after it. */
export const evidenceLane = "trial";

/** Writes lines after `begin`, the end of the open `file`. `release` is called once, when it is closed. */
export function createTraceWriter(
  o: RecorderOptions & { folder: string; file: number; begin: WriterState; release: () => void },
): TraceRecorder {
  const { folder, file } = o;
  const path = join(folder, "trace.jsonl");
  const blobs = openBlobStore(join(folder, "blobs"));
  const lanes = new Map(o.begin.lanes);
  const started = o.micros() - o.begin.dt;
  let failure: Error | undefined;
  let open = true;
  const state = { ...o.begin };

  /** After a failed write the file ends with the last whole line, and every later event fails the same way. */
  const guard = (write: () => void): void => {
    if (failure) throw failure;
    try {
      write();
    } catch (error) {
      failure = new CannotError(
        `Cannot write the trace ${path}: ${messageOf(error)}. Free some space or choose another folder, then run again.`,
      );
      try {
        ftruncateSync(file, state.bytes);
      } catch {
        // the torn tail stays; readers set it aside
      }
      throw failure;
    }
  };

  const emit = (event: RunEvent): void => {
    // not a failure of the file, which can go on
    if (isDeeperThan(event.d, maxRecordedDepth))
      throw new RangeError(
        `The event ${event.t} of lane ${event.lane} nests more than ${maxRecordedDepth} levels deep and is not recorded.`,
      );
    guard(() => {
      const data = encodeData(event.d, (hash, content) => blobs.put(hash, content));
      const s = laneDigest(lanes.get(event.lane) ?? firstHash, event, data);
      const { line, hash } = formatLine(event, {
        seq: state.seq,
        ts: o.clock.now(),
        dt: Math.round(o.micros() - started),
        data,
        s,
        prev: state.head,
      });
      const bytes = Buffer.from(`${line}\n`);
      if (bytes.length > maxLineBytes) throw new Error(`the event ${event.t} of lane ${event.lane} is ${bytes.length} bytes long`);
      for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done, bytes.length - done, state.bytes + done);
      lanes.set(event.lane, s);
      state.seq++;
      state.bytes += bytes.length;
      state.head = hash;
    });
  };

  const flush = (): void =>
    guard(() => {
      if (o.sync === false) return;
      blobs.sync();
      fdatasyncSync(file);
    });

  const close = (): void => {
    if (!open) return;
    open = false;
    closeSync(file);
    o.release();
  };

  return {
    folder,
    emit,
    flush: async () => flush(),
    evidence: (t, d) => emit({ t, lane: evidenceLane, n: state.evidence++, cause: [], d }),
    close,
    seal(workspace) {
      flush();
      guard(() => writeSeal(folder, { count: state.seq, bytes: state.bytes, head: state.head, workspace }));
      close();
    },
  };
}
