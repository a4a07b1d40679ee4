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
  let last: Promise<void> = Promise.resolve();
  const write = async (line: JsonObject): Promise<void> => {
    await file.appendFile(`${JSON.stringify(line)}\n`);
    await file.datasync();
  };
  return {
    past,
    add(line) {
      const written = last.then(() => write(line));
      last = written.catch(() => undefined);
      return written;
    },
    async close() {
      await last;
      await file.close();
    },
  };
}

async function recover(path: string): Promise<JsonObject[]> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return Buffer.alloc(0);
    throw error;
  });
  const lines: JsonObject[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(0x0a, start);
    const line = end === -1 ? undefined : parseLine(bytes.subarray(start, end));
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

function parseLine(bytes: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject; // just parsed from JSON
  } catch {
    // not JSON: torn or damaged, the caller knows which
  }
  return undefined;
}
