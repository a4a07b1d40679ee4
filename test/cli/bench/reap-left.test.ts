import { describe, expect, it } from "vitest";
import { reapLeft, type Reaping } from "../../../cli/bench/reaper/reap-left.ts";

/** A reaper on a clock of its own, and at what times it swept. */
async function reaped(o: Partial<Reaping> & { sweep?: () => Promise<number> } = {}): Promise<number[]> {
  let now = 0;
  const sweeps: number[] = [];
  const sweep = (): Promise<number> => {
    sweeps.push(now);
    return o.sweep?.() ?? Promise.resolve(0);
  };
  await reapLeft({ hasEnded: () => now >= 300, wait: async (ms) => void (now += ms), providers: async () => [{ sweep }], ...o });
  return sweeps;
}

describe("the reaper of a command that ended without a word", () => {
  it("sweeps when its owner is gone, again for what a daemon was late with, and ends by itself", async () => {
    expect(await reaped()).toEqual([300, 800, 2_300, 5_300, 10_300, 20_300]);
  });

  it("does not wait for ever for an owner that stays", async () => {
    expect((await reaped({ hasEnded: () => false })).at(0)).toBe(10_000);
  });

  it("sweeps on where a daemon did not respond", async () => {
    expect(await reaped({ sweep: () => Promise.reject(new Error("No daemon.")) })).toHaveLength(6);
  });
});
