import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

/** Writes a JSON file so that a reader, or a crash at any moment, meets the old content or the new, never a part. Durable when it returns. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await writeWhole(path, jsonText(value));
}

/** What `writeJson` writes. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The same for content that is there already. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const next = `${path}.${randomUUID()}.new`;
  try {
    const file = await open(next, "wx");
    try {
      await file.writeFile(content);
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
