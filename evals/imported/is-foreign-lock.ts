import { open } from "node:fs/promises";
import { join } from "node:path";

/** Harbor writes a `lock.json` too. Its first key is the version of its schema, which Forge's lock does not have. */
export async function isForeignLock(folder: string): Promise<boolean> {
  const handle = await open(join(folder, "lock.json")).catch(() => undefined);
  if (!handle) return false;
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(200), 0, 200, 0);
    return /^\s*\{\s*"schema_version"/.test(buffer.toString("utf8", 0, bytesRead));
  } finally {
    await handle.close();
  }
}
