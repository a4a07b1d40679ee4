import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { HostEntry } from "./archive.ts";

/** SHA-256 over path, type, executable bits, content and target of a folder's entries, begun with `first`. Times and owners do not count. */
export async function hashEntries(folder: string, entries: readonly HostEntry[], first: unknown): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(first));
  for (const { path, type, mode, target } of entries) {
    hash.update(JSON.stringify([path, type, type === "file" ? mode & 0o111 : 0, target ?? ""]));
    if (type === "file")
      hash.update(
        createHash("sha256")
          .update(await readFile(join(folder, path)))
          .digest(),
      );
  }
  return hash.digest("hex");
}
