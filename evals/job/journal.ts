import { appendFile, open, readFile, truncate } from "node:fs/promises";
import { DamagedError } from "../../harness/errors.ts";
import type { JsonObject } from "../../harness/json.ts";

/** What happened in a job, one JSON object a line, only ever added to. The results themselves are files of their own. */
export interface Journal {
  /** The lines that were there before. */
  readonly past: readonly JsonObject[];
  /** Durable when it returns. Calls are written in their order. */
  add(line: JsonObject): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a journal, or begins one. A last line that a crash left in pieces is set aside in `<path>.torn`.
 * @throws DamagedError for a broken line anywhere else.
 */
export async function openJournal(path: string): Promise<Journal> {
  const past = await recover(path);
  const file = await open(path, "a");
  let { size } = await file.stat();
  let waiting: Waiting[] = [];
  let writing: Promise<void> = Promise.resolve();
  /** Lines that were added meanwhile become durable together. */
  const writeWaiting = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    const text = batch.map(({ line }) => `${JSON.stringify(line)}\n`).join("");
    try {
      await file.appendFile(text);
      await file.datasync();
      size += Buffer.byteLength(text);
      for (const { resolve } of batch) resolve();
    } catch (error) {
      await file.truncate(size).catch(() => undefined); // half a line, of a disk that was full, must not stand before the next one
      for (const { reject } of batch) reject(error);
    }
  };
  return {
    past,
    add(line) {
      const written = new Promise<void>((resolve, reject) => waiting.push({ line, resolve, reject }));
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
  readonly line: JsonObject;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

async function recover(path: string): Promise<JsonObject[]> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return Buffer.alloc(0);
    throw error;
  });
  const whole = parseAll(bytes);
  if (whole) return whole;
  const lines: JsonObject[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(0x0a, start);
    const line = end === -1 ? undefined : parseLine(bytes.toString("utf8", start, end));
    if (!line) {
      if (end !== -1 && end + 1 < bytes.length)
        throw new DamagedError(
          `${path}: byte ${start} begins a line that is not a JSON object; restore the journal, or start the job in another folder.`,
        );
      await appendFile(`${path}.torn`, bytes.subarray(start));
      await truncate(path, start);
      return lines;
    }
    lines.push(line);
    start = end + 1;
  }
  return lines;
}

/** The lines of a journal that is whole, as nearly all are, decoded in one go; undefined where one is not, and it has to be found. */
function parseAll(bytes: Buffer): JsonObject[] | undefined {
  const texts = bytes.toString("utf8").split("\n");
  if (texts.pop() !== "") return undefined;
  const lines = texts.map(parseLine);
  return lines.every((line) => line !== undefined) ? lines : undefined;
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
