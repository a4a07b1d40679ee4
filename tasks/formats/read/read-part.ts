import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, ConfigError } from "../../../harness/errors.ts";

/** Texts of a task that Forge itself reads. The largest known instruction has some 100 kB. */
const mostBytes = 4 * 1024 * 1024;

/**
 * The text of one file of a task; undefined where there is none. Throws `ConfigError` for what is no plain file (a pipe would never end), is
 * larger than 4 MiB, or is not UTF-8.
 */
export async function readPart(root: string, part: string): Promise<string | undefined> {
  const path = join(root, part);
  let file;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new ConfigError(`${path}: cannot be read (${code ?? String(error)}). Make it a readable file.`, { cause: error });
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new ConfigError(`${path}: is not a plain file. Replace it by one.`);
    if (stat.size > mostBytes)
      throw new ConfigError(`${path}: has ${stat.size} bytes, and at most ${mostBytes} are read. Shorten it, or put the data beside it.`);
    const bytes = readFileSync(file);
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      throw new ConfigError(`${path}: is not UTF-8 text. Save it as UTF-8.`);
    }
  } finally {
    closeSync(file);
  }
}

/** As `readPart`, for a part that must be there: `cure` says what to do where it is not. */
export async function requirePart(root: string, part: string, cure: string): Promise<string> {
  const text = await readPart(root, part);
  if (text === undefined) throw new ConfigError(`${join(root, part)}: the task has no ${part}. ${cure}`);
  return text;
}
