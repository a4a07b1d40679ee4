import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { CannotError, codeOf, ConfigError, messageOf } from "../../../harness/errors.ts";

/**
 * Writes a file, its folders too. One that is there with the same bytes is left as it is.
 * @throws ConfigError for one with other bytes, unless `force`; CannotError where it cannot be written
 */
export async function writeNew(path: string, content: string | Uint8Array, o: { option: string; force: boolean }): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { flag: o.force ? "w" : "wx" });
  } catch (error) {
    if (codeOf(error) !== "EEXIST")
      throw new CannotError(`${o.option}: ${path} cannot be written (${messageOf(error)}); name another place.`);
    const there = await readFile(path).catch(() => undefined);
    if (there?.equals(Buffer.from(content))) return;
    throw new ConfigError(
      `${o.option}: ${path} already exists with different content; remove it, name another place, or replace it with --force.`,
    );
  }
}
