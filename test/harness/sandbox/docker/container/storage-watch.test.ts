import { afterEach, describe, expect, it } from "vitest";
import { watchStorage, type StorageWatch, type WatchClock } from "../../../../../harness/sandbox/docker/container/storage-watch.ts";

/** Time that passes as a test says, in steps shorter than any wait. */
function handClock(): { clock: WatchClock; pass(ms: number): Promise<void> } {
  let now = 0;
  const waiting = new Set<{ at: number; wake: () => void }>();
  return {
    clock: {
      now: () => now,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          const wake = (): void => {
            signal.removeEventListener("abort", reject);
            resolve();
          };
          signal.addEventListener("abort", reject);
          waiting.add({ at: now + ms, wake });
        }),
    },
    async pass(ms) {
      for (const end = now + ms; now < end; now += 50) {
        for (const one of waiting) if (one.at <= now && waiting.delete(one)) one.wake();
        await new Promise(setImmediate);
      }
    },
  };
}

/** A disk and a layer on it, of which a test says how they change. */
function stage(o: { limit: number; onOver?: () => void }) {
  const disk = { free: 1000, layer: 0, walks: 0 };
  let ended = 0;
  const { clock, pass } = handClock();
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
    clock,
  );
  watches.push(watch);
  return { disk, watch, pass, ended: () => ended };
}

const watches: StorageWatch[] = [];
afterEach(() => {
  for (const watch of watches.splice(0)) watch.stop();
});

describe("the watch over a writable layer", () => {
  it("walks over nothing while the disk has lost less than the layer may grow", async () => {
    const { disk, ended, pass } = stage({ limit: 100 });
    disk.free -= 50;
    await pass(700);
    expect([disk.walks, ended()]).toEqual([0, 0]);
  });

  it("sees a layer grow though others give back as much as it takes", async () => {
    const { disk, ended, pass, watch } = stage({ limit: 100 });
    disk.free += 500;
    await pass(500);
    disk.free -= 300;
    disk.layer += 300;
    await pass(8_000);
    expect(ended()).toBe(1);
    expect(watch.exceeded).toMatchObject([{ bytes: 300, limitBytes: 100 }]);
  });

  it("sees it in the end where both come at the same moment", async () => {
    const { disk, ended, pass } = stage({ limit: 100 });
    disk.layer = 300;
    await pass(8_000);
    expect(ended()).toBe(1);
  });

  it("ends what runs once, though what was being written when it was measured had grown by its end", async () => {
    const { disk, ended, pass } = stage({ limit: 100, onOver: () => (disk.layer = 180) });
    disk.layer = 150;
    disk.free -= 150;
    await pass(8_000);
    expect(ended()).toBe(1);
    disk.free -= 30;
    await pass(60_000);
    expect(ended()).toBe(1);
  });
});
