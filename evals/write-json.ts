import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

/** Writes a JSON file so that a reader, or a crash at any moment, meets the old content or the new, never a part. Durable when it returns. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  const next = `${path}.${randomUUID()}.new`;
  try {
    const file = await open(next, "wx");
    try {
      await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}
