import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { whoseMemory, type MemoryCounts } from "../../../../../harness/sandbox/docker/container/whose-memory.ts";

const counts = (o: Partial<MemoryCounts>): MemoryCounts => ({
  limitBytes: 64 * 1024 ** 2,
  kills: 1,
  reached: true,
  exact: false,
  outside: true,
  ...o,
});

describe("whose memory ran out", () => {
  it("is the container's own limit where that limit's counter and the daemon say so", () => {
    expect(whoseMemory(counts({}), 1)).toEqual({ oomKills: 1 });
    expect(whoseMemory(counts({ exact: true }), 0)).toEqual({ oomKills: 1 });
  });

  it("is the machine's where there is no limit, or none that was reached, whatever event the daemon sends", () => {
    expect(whoseMemory(counts({ limitBytes: undefined, kills: 2 }), 1)).toEqual({ oomKills: 0, machineOomKills: 2 });
    expect(whoseMemory(counts({ reached: false, exact: true }), 1)).toEqual({ oomKills: 0, machineOomKills: 1 });
    expect(whoseMemory(counts({ reached: false }), 1)).toEqual({ oomKills: 0, machineOomKills: 1 });
  });

  it("is the machine's where the limit was reached by a cache that could be freed, of which the daemon hears nothing", () => {
    expect(whoseMemory(counts({ reached: true }), 0)).toEqual({ oomKills: 0, machineOomKills: 1 });
  });

  it("is never the machine's by what was counted inside, where the agent may have a hand in it", () => {
    const any = fc.record({
      limitBytes: fc.option(fc.nat(), { nil: undefined }),
      kills: fc.option(fc.nat(), { nil: undefined }),
      reached: fc.boolean(),
      exact: fc.boolean(),
    });
    fc.assert(
      fc.property(any, fc.nat(3), (told, events) => {
        const { machineOomKills = 0 } = whoseMemory({ ...told, outside: false }, events);
        expect(machineOomKills > 0).toBe(events > 0 && told.limitBytes === undefined);
      }),
    );
  });

  it("is nobody's where nothing was killed, and unknown where nobody could count", () => {
    expect(whoseMemory(counts({ kills: 0, reached: true }), 1)).toEqual({ oomKills: 0 });
    expect(whoseMemory(counts({ kills: undefined, outside: false }), 0)).toEqual({});
  });
});
