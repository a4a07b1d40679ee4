import { appendFile, open, truncate, type FileHandle } from "node:fs/promises";
import { codeOf, DamagedError } from "../../harness/errors.ts";
import type { JsonObject } from "../../harness/json.ts";

/** What happened in a job, one JSON object a line, only ever added to. The results themselves are files of their own. */
export interface Journal {
  /** The lines that were there before; none where they were heard one by one. */
  readonly past: readonly JsonObject[];
  /** Durable when it returns. Calls are written in their order. @param line an object, or its JSON */
  add(line: JsonObject | string): Promise<void>;
  close(): Promise<void>;
}

/** A line that was there before, where its bytes start, and how many it has without its newline. */
export interface PastLine {
  readonly line: JsonObject;
  readonly start: number;
  readonly bytes: number;
}

/**
 * Opens a journal, or begins one. A last line that a crash left in pieces is set aside in `<path>.torn`.
 * @param hear takes the lines that were there before, one at a time, so that they need not all be in memory
 * @throws DamagedError for a broken line anywhere else.
 */
export async function openJournal(path: string, hear?: (past: PastLine) => void): Promise<Journal> {
  const past: JsonObject[] = [];
  await recover(path, hear ?? (({ line }) => void past.push(line)));
  const file = await open(path, "a");
  let { size } = await file.stat();
  let waiting: Waiting[] = [];
  let writing: Promise<void> = Promise.resolve();
  /** Lines that were added meanwhile become durable together. */
  const writeWaiting = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    const bytes = Buffer.from(batch.map(({ text }) => `${text}\n`).join(""));
    try {
      await file.appendFile(bytes);
      await file.datasync();
      size += bytes.length;
      for (const { resolve } of batch) resolve();
    } catch (error) {
      await file.truncate(size).catch(() => undefined); // half a line, of a disk that was full, must not stand before the next one
      for (const { reject } of batch) reject(error);
    }
  };
  return {
    past,
    add(line) {
      const written = new Promise<void>((resolve, reject) =>
        waiting.push({ text: typeof line === "string" ? line : JSON.stringify(line), resolve, reject }),
      );
      writing = writing.then(writeWaiting);
      return written;
    },
    async close() {
      await writing;
      await file.close();
    },
  };
}

interface Waiting {
  readonly text: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

async function recover(path: string, hear: (past: PastLine) => void): Promise<void> {
  const file = await open(path, "r").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (!file) return;
  try {
    let torn: { readonly start: number; readonly bytes: Buffer } | undefined;
    for await (const { bytes, start, whole } of linesIn(file)) {
      if (torn)
        throw new DamagedError(
          `${path}: byte ${torn.start} begins a line that is not a JSON object; restore the journal, or start the job in another folder.`,
        );
      const line = whole ? parseLine(bytes.toString("utf8")) : undefined;
      if (line) hear({ line, start, bytes: bytes.length });
      else torn = { start, bytes: Buffer.concat(whole ? [bytes, Buffer.from("\n")] : [bytes]) };
    }
    if (!torn) return;
    await appendFile(`${path}.torn`, torn.bytes);
    await truncate(path, torn.start);
  } finally {
    await file.close();
  }
}

const newline = 0x0a;
/** Read at once, so that memory stays flat whatever the file's size. */
const pieceBytes = 1 << 20;

/** The lines of a file without their newlines; `whole`: it has one. */
async function* linesIn(file: FileHandle): AsyncGenerator<{ readonly bytes: Buffer; readonly start: number; readonly whole: boolean }> {
  let rest: Buffer = Buffer.alloc(0);
  let start = 0;
  const piece = Buffer.alloc(pieceBytes);
  for (;;) {
    const { bytesRead } = await file.read(piece, 0, piece.length, start + rest.length);
    if (bytesRead === 0) break;
    const buffer = Buffer.concat([rest, piece.subarray(0, bytesRead)]);
    let from = 0;
    for (let end = buffer.indexOf(newline); end >= 0; end = buffer.indexOf(newline, from)) {
      yield { bytes: buffer.subarray(from, end), start: start + from, whole: true };
      from = end + 1;
    }
    rest = buffer.subarray(from);
    start += from;
  }
  if (rest.length > 0) yield { bytes: rest, start, whole: false };
}

function parseLine(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject; // just parsed from JSON
  } catch {
    // not JSON: torn or damaged, the caller knows which
  }
  return undefined;
}
