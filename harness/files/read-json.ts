import { readFile } from "node:fs/promises";
import type { z } from "zod";
import { codeOf, DamagedError } from "../errors.ts";

/**
 * A JSON file that `writeJson` wrote; undefined where it is not there.
 * @throws DamagedError with `damaged`, a sentence after the path, for what is no JSON or not of this shape.
 */
export async function readJson<T>(path: string, schema: z.ZodType<T>, damaged: string): Promise<T | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new DamagedError(`${path} ${damaged}`);
  }
}
