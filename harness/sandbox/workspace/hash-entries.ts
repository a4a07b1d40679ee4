import { createHash, hash as digestOf } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { breather } from "../../breather.ts";
import type { HostEntry } from "./pack-folder.ts";

/** Up to here a file is read at once, as most of a task's are: a promise costs several times what the call does. */
const smallBytes = 64 * 1024;

/** SHA-256 over path, type, executable bits, content and target of a folder's entries, started with `first`. Times and owners do not count. */
export async function hashEntries(folder: string, entries: readonly HostEntry[], first: unknown): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(first));
  const breathe = breather();
  for (const { path, type, mode, bytes, target } of entries) {
    await breathe();
    hash.update(JSON.stringify([path, type, type === "file" ? mode & 0o111 : 0, target ?? ""]));
    if (type !== "file") continue;
    const file = join(folder, path);
    hash.update(digestOf("sha256", bytes <= smallBytes ? readFileSync(file) : await readFile(file), "buffer"));
  }
  return hash.digest("hex");
}
