import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { z } from "zod";
import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import { DamagedError } from "../../harness/errors.ts";

/** A result file of another runner larger than this is none. */
const largest = 256 * 1024 * 1024;

/** Files of that name below a folder, in order, each looked for no deeper than `depth`. Links are not followed. */
export async function* filesNamed(folder: string, fits: (name: string) => boolean, depth: number): AsyncGenerator<string> {
  const entries = (await readdir(folder, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) if (entry.isFile() && fits(entry.name)) yield join(folder, entry.name);
  if (depth === 0) return;
  for (const entry of entries) if (entry.isDirectory()) yield* filesNamed(join(folder, entry.name), fits, depth - 1);
}

/**
 * What a runner wrote, held against the part of it that is used.
 * @param runner as it is named to a person
 * @throws DamagedError with the file and the place in it
 */
export async function readResult<T>(file: string, schema: z.ZodType<T>, runner: string): Promise<T> {
  if ((await stat(file)).size > largest)
    throw new DamagedError(`${file} is larger than ${largest / 1024 / 1024} MB, which no result of ${runner} is; take it away.`);
  return parseResult(await readFile(file, "utf8"), file, schema, runner);
}

/** The same of text that has been read. Bare NaN and Infinity, which Python writes, are read as null. */
export function parseResult<T>(text: string, file: string, schema: z.ZodType<T>, runner: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    try {
      value = JSON.parse(text.replaceAll(pythonNumber, (found) => (found.startsWith('"') ? found : "null")));
    } catch {
      throw new DamagedError(`${file} is cut off or no JSON; let ${runner} finish it, or take its folder away.`);
    }
  }
  return checkResult(value, file, schema, runner);
}

/** Holds a value that has been read against what is used of it. */
export function checkResult<T>(value: unknown, file: string, schema: z.ZodType<T>, runner: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new DamagedError(
    `${file} is no result of ${runner} that is known: ${issue?.path.join(".") || "the file"}: ${issue?.message ?? "cannot be read"}; it may be of another version, then write a table of task, arm, repeat and score.`,
  );
}

const pythonNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/gs;

/** Milliseconds between two times as a runner writes them; null where one is missing or they are the wrong way round. */
export function between(from: string | null | undefined, to: string | null | undefined): number | null {
  const ms = Date.parse(to ?? "") - Date.parse(from ?? "");
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

/** What an agent was set up with, short; the same whatever order its keys were written in. */
export const fingerprint = (value: unknown): string => createHash("sha256").update(canonicalJson(value)).digest("hex");
