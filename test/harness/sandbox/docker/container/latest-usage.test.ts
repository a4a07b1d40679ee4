import { describe, expect, it } from "vitest";
import { latestUsage } from "../../../../../harness/sandbox/docker/container/container-usage.ts";

describe("what is known of a container's memory now", () => {
  it("replaces whom it blamed before, the machine or its own limit", () => {
    const machine = { oomKills: 0, machineOomKills: 1, memoryPeakBytes: 5 };
    expect(latestUsage(machine, { oomKills: 1, memoryPeakBytes: 6 })).toEqual({ oomKills: 1, memoryPeakBytes: 6 });
    expect(latestUsage({ oomKills: 1 }, machine)).toEqual(machine);
  });

  it("is what was known last where the container tells no more", () => {
    const before = { oomKills: 0, machineOomKills: 1, throttledMs: 3 };
    expect(latestUsage(before, { memoryLimitBytes: 7 })).toEqual({ ...before, memoryLimitBytes: 7 });
  });
});
