import { chmod, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Gives all below a folder, and itself, the modes that git knows, whatever the umask: 0755 for folders and programs, 0644 for other files. Users of a
 * container other than root read them.
 */
export async function settleModes(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await settleModes(path);
    else if (entry.isFile()) await chmod(path, (await lstat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
}
