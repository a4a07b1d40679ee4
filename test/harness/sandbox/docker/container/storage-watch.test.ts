import { afterEach, describe, expect, it } from "vitest";
import { watchStorage, type StorageWatch } from "../../../../../harness/sandbox/docker/container/storage-watch.ts";

/** A disk and a layer on it, of which a test says how they change. */
function stage(o: { limit: number; onOver?: () => void }) {
  const disk = { free: 1000, layer: 0, walks: 0 };
  let ended = 0;
  const watch = watchStorage(
    {
      free: async () => disk.free,
      async measure() {
        disk.walks += 1;
        return disk.layer;
      },
    },
    o.limit,
    async () => {
      ended += 1;
      o.onOver?.();
    },
  );
  watches.push(watch);
  return { disk, watch, ended: () => ended };
}

const watches: StorageWatch[] = [];
afterEach(() => {
  for (const watch of watches.splice(0)) watch.stop();
});
const within = { timeout: 8_000, interval: 20 };

describe("the watch over a writable layer", () => {
  it("walks over nothing while the disk has lost less than the layer may grow", async () => {
    const { disk, ended } = stage({ limit: 100 });
    disk.free -= 50;
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect([disk.walks, ended()]).toEqual([0, 0]);
  });

  it("sees a layer grow though others give back as much as it takes", async () => {
    const { disk, ended, watch } = stage({ limit: 100 });
    disk.free += 500;
    await new Promise((resolve) => setTimeout(resolve, 500));
    disk.free -= 300;
    disk.layer += 300;
    await expect.poll(ended, within).toBe(1);
    expect(watch.exceeded).toMatchObject([{ bytes: 300, limitBytes: 100 }]);
  });

  it("sees it in the end where both come at the same moment", async () => {
    const { disk, ended } = stage({ limit: 100 });
    disk.layer = 300;
    await expect.poll(ended, within).toBe(1);
  });

  it("ends what runs once, though what was being written when it was measured had grown by its end", async () => {
    const { disk, ended } = stage({ limit: 100, onOver: () => (disk.layer = 180) });
    disk.layer = 150;
    disk.free -= 150;
    await expect.poll(ended, within).toBe(1);
    disk.free -= 30;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(ended()).toBe(1);
  });
});
