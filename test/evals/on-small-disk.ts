import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Does something with a disk of its own in `folder`, of `size` as mount takes it ("8k"), which is gone afterwards. For tests with `needs("mount")`.
 * @throws Error when it cannot be mounted.
 */
export async function onSmallDisk<T>(folder: string, size: string, act: (disk: string) => Promise<T>): Promise<T> {
  const disk = join(folder, "small");
  await mkdir(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", disk]);
  try {
    return await act(disk);
  } finally {
    execFileSync("umount", ["-l", disk]);
  }
}
