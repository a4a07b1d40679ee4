import { lstat, open, opendir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { CannotError, DamagedError, messageOf } from "../../../harness/errors.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import type { Json } from "../../../harness/json.ts";

/** Bytes of one run of another agent that are taken into memory, in one file or several. */
export const largestRun = 128 * 1024 * 1024;

/** Long enough for what a session begins with, a prompt or an image that was pasted. */
const headBytes = 1024 * 1024;

/** What may still be read of a run, and what was. */
export interface ReadingBudget {
  left: number;
  /** SHA-256 of each file that was read, in this order. */
  readonly read: string[];
}
export const readingBudget = (): ReadingBudget => ({ left: largestRun, read: [] });

/** SHA-256 of the one file that was read; of the hashes, a line each, where there were several. */
export const digestOf = ({ read }: ReadingBudget): string =>
  read.length === 1 && read[0] !== undefined ? read[0] : sha256(read.join("\n"));

/**
 * Files below a folder whose names fit, in order and however deep; an error in the place of a folder that cannot be read. Links are not followed, so there are
 * no loops. Of a folder only what fits and its folders are kept, so a wide one costs little.
 * @param closed folders that are not looked into any deeper; whoever takes the files may add the folder of the one that it just took
 */
export async function* filesBelow(
  folder: string,
  fits: (name: string) => boolean,
  closed: ReadonlySet<string> = new Set(),
): AsyncGenerator<string | CannotError> {
  const ahead = [folder];
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    const files: string[] = [];
    const folders: string[] = [];
    try {
      for await (const entry of await opendir(at, { bufferSize: 512 })) {
        if (entry.isDirectory()) folders.push(entry.name);
        else if (entry.isFile() && fits(entry.name)) files.push(entry.name);
      }
    } catch (error) {
      yield new CannotError(`${at} cannot be read (${messageOf(error)}).`);
    }
    for (const name of files.toSorted()) yield join(at, name);
    if (!closed.has(at)) for (const name of folders.toSorted().toReversed()) ahead.push(join(at, name));
  }
}

/** A place that is a file, or the files below it that fit. */
export async function* filesOf(place: string, fits: (name: string) => boolean): AsyncGenerator<string | CannotError> {
  if (await isFile(place)) yield place;
  else yield* filesBelow(place, fits);
}

/** Whether one of the files is what is looked for; what cannot be read is not. */
export async function someFile(files: AsyncIterable<string | CannotError>, test: (file: string) => Promise<boolean>): Promise<boolean> {
  for await (const file of files) if (typeof file === "string" && (await test(file).catch(() => false))) return true;
  return false;
}

export const isFile = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isFile(),
    () => false,
  );
export const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** A file's text; bytes that are no UTF-8 become U+FFFD. Throws as `bytesOf`. */
export const contentsOf = async (path: string, budget?: ReadingBudget): Promise<string> => (await bytesOf(path, budget)).toString("utf8");

/** Throws `CannotError` for what is no file, or when the run is over `largestRun` with it. */
export async function bytesOf(path: string, budget: ReadingBudget = readingBudget()): Promise<Buffer> {
  try {
    const found = await lstat(path);
    if (!found.isFile()) throw new CannotError(`${path} is no file.`);
    budget.left -= found.size;
    if (budget.left < 0)
      throw new CannotError(
        `${path}: more than ${largestRun / 1024 ** 2} MiB of one run are not taken into memory; leave it out, or cut it.`,
      );
    const bytes = await readFile(path);
    budget.read.push(sha256(bytes));
    return bytes;
  } catch (error) {
    if (error instanceof CannotError) throw error;
    throw new CannotError(`${path} cannot be read (${messageOf(error)}).`);
  }
}

/** The beginning of a file's text, which tells whose it is. */
export async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Throws `DamagedError` for what is no JSON. */
export async function jsonIn(path: string, budget?: ReadingBudget): Promise<Json> {
  const text = await contentsOf(path, budget);
  try {
    return parseJson(text);
  } catch {
    throw new DamagedError(`${path} is cut off, or no JSON.`);
  }
}

/** Bare NaN and Infinity, which Python writes, are read as null. Throws the `SyntaxError` of the text as it is. */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json; // what JSON.parse gives is Json
  } catch (error) {
    try {
      return JSON.parse(text.replaceAll(pythonNumber, (found) => (found.startsWith('"') ? found : "null"))) as Json; // as above
    } catch {
      throw error;
    }
  }
}

const pythonNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/gs;
