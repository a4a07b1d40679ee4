import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lockRunner } from "../../../evals/job/runner-lock.ts";
import { systemClock as clock } from "../../../harness/system-ports.ts";
import { needs } from "../../needs.ts";
import { onSmallDisk } from "../on-small-disk.ts";

it.skipIf(needs("mount"))(
  "a runner's lock is released on a full disk, and one that cannot be taken there leaves nothing behind",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "forge-lock-"));
    await onSmallDisk(folder, "16k", async (disk) => {
      const lock = await lockRunner(disk, { clock });
      const other = join(disk, "other");
      await mkdir(other);
      await expect(writeFile(join(disk, "filler"), "x".repeat(32_000))).rejects.toThrow(/ENOSPC/);
      await expect(lockRunner(other, { clock })).rejects.toThrow(/ENOSPC/);
      expect(await readdir(other)).toEqual([]);
      await lock.release();
      await rm(join(disk, "filler"));
      await (await lockRunner(disk, { clock })).release();
      expect(await readdir(disk)).toContain("runner.2.json");
    });
    await rm(folder, { recursive: true });
  },
);
