import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { callFaults, recordUnder, recordUnderEach, type Fault, type FaultOutcome } from "../../scripts/campaigns/recording-faults.ts";
import { needs, sampled } from "../needs.ts";

const root = mkdtempSync(join(tmpdir(), "forge-faults-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("a run whose recording is disturbed", { timeout: 120_000 }, () => {
  it("killed at six moments, has every event that it had said was durable, replays that far, and can be sealed", async () => {
    const kills = [0, 7, 20, 45, 80, 120].map((afterMs): Fault => ({ kind: "kill", afterMs }));
    const problems: string[] = [];
    let acknowledged = 0;
    await recordUnderEach(kills, join(root, "kills"), (fault, outcome) => {
      acknowledged += outcome.acknowledged;
      for (const problem of outcome.problems) problems.push(`${JSON.stringify(fault)}: ${problem}`);
    });
    expect(problems).toEqual([]);
    expect(acknowledged).toBeGreaterThan(20);
  });

  it("by a file that cannot grow, whose last write was cut short, ends with its last whole event and says so", async () => {
    const outcome = await recordUnder({ kind: "size", kib: 16 }, join(root, "size"));
    expect(outcome).toMatchObject({
      problems: [],
      torn: 0,
      sealed: false,
      exitCode: 3,
      said: expect.stringMatching(/Cannot write the trace .*EFBIG/),
    });
    expect(outcome.found).toBeGreaterThan(5);
  });
});

describe.skipIf(needs("strace"))("a run whose system calls fail while it is recorded", { timeout: 180_000 }, () => {
  it("loses nothing that it had said was durable, and either goes on or ends with a sentence", async () => {
    const outcomes = new Map<string, FaultOutcome>();
    // Each kind of failure at one moment; scripts/campaigns/fault-recording.ts has all.
    const later = /pwrite64:error=(ENOSPC|EIO|EINTR|EDQUOT):when=(3|150)"|"kib":(9|40)\}/;
    const tried = sampled(
      callFaults,
      callFaults.filter((fault) => !later.test(JSON.stringify(fault))),
    );
    await recordUnderEach(tried, join(root, "calls"), (fault, outcome) => void outcomes.set(JSON.stringify(fault), outcome));
    expect(outcomes.size).toBe(tried.length);
    for (const [fault, { problems, exitCode, said, sealed }] of outcomes) {
      expect(problems, fault).toEqual([]);
      // an interrupted call and one that wrote nothing are made again; everything else is told
      const goesOn = fault.includes("EINTR") || fault.includes("retval=0");
      expect({ exitCode, sealed }, `${fault} ${said}`).toEqual({ exitCode: goesOn ? 0 : 3, sealed: goesOn });
      if (!goesOn) expect(said, fault).toMatch(/^Cannot (write|start) the trace .+ (again|written)\.$/);
    }
    const shortAndStuck = [...outcomes].find(([fault]) => fault.includes("ftruncate"))?.[1];
    expect(shortAndStuck?.torn).toBeGreaterThan(0);
  });
});
