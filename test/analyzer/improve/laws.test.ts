import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { drawSeeds } from "../../../analyzer/improve/draw-seeds.ts";
import { plannedHalfWidth } from "../../../analyzer/improve/improvement-plan.ts";
import { scorePredictions } from "../../../analyzer/improve/score-predictions.ts";
import { screenPatch, type Pair, type Screen } from "../../../analyzer/improve/screen-patch.ts";
import { partOf, splitFamilies } from "../../../analyzer/improve/split.ts";
import { claimTest, refuseSecondTest } from "../../../analyzer/improve/test-ledger.ts";
import { families } from "../../../tasks/generated/families.ts";

const folder = mkdtempSync(join(tmpdir(), "forge-improve-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the split of families", () => {
  it("gives 8 of the generated families to development and 15 to the test", () => {
    const { develop, test } = splitFamilies(families.map(({ name }) => name));
    expect(develop).toEqual(
      ["build-fix", "git-bisect", "git-restore", "module-spec", "performance", "pipeline", "planted-bug-c", "sql-report"], // prettier-ignore
    );
    expect(test).toHaveLength(15);
  });

  it("has each family in one part, whatever others there are and in whatever order", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.string(), (others, name) => {
        const { develop, test } = splitFamilies([...others, name, ...others]);
        expect(develop.includes(name)).toBe(partOf(name) === "develop");
        expect(test.includes(name)).toBe(partOf(name) === "test");
        expect(splitFamilies([name, ...others.toReversed()])).toEqual({ develop, test });
      }),
    );
  });
});

describe("drawn seeds", () => {
  it("follow from hash and family alone, are different, fresh, and what forge task generate takes", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.integer({ min: 1, max: 20 }), (hash, family, count) => {
        const seeds = drawSeeds(hash, family, count);
        expect(drawSeeds(hash, family, count)).toEqual(seeds);
        expect(drawSeeds(hash, family, count + 3).slice(0, count)).toEqual(seeds);
        expect(new Set(seeds).size).toBe(count);
        expect(seeds.every((seed) => Number.isInteger(seed) && seed >= 0 && seed <= 999_999_999)).toBe(true);
        const [first] = seeds;
        expect(drawSeeds(hash, family, count, (seed) => seed === first)).not.toContain(first);
      }),
    );
  });

  it("are others with another hash", () => {
    expect(drawSeeds("a", "git-merge", 5)).not.toEqual(drawSeeds("b", "git-merge", 5));
  });
});

/** Three pairs a family, written as base and patch of each: `01` was failed and is passed. */
const pairs = (groups: Readonly<Record<string, readonly string[]>>): Pair[] =>
  Object.entries(groups).flatMap(([family, outcomes]) =>
    outcomes.map((outcome, i) => ({ task: `${family}-${i}`, family, base: Number(outcome[0]), patch: Number(outcome[1]) })),
  );

const screened = (groups: Readonly<Record<string, readonly string[]>>, o: Partial<Parameters<typeof screenPatch>[1]> = {}): Screen => {
  const some = pairs(groups);
  return screenPatch(some, { issue: "a", planned: some.length, removal: false, tokens: { base: 10, patch: 10 }, ended: true, ...o });
};

describe("screening", () => {
  it("keeps a patch with a mean above 0 and one-sided p under .10, and no other", () => {
    const three = { a: ["01", "11", "00"], b: ["01", "11", "00"], c: ["01", "11", "00"] };
    expect(screened(three)).toMatchObject({ kept: true, fixed: ["a-0", "b-0", "c-0"], broken: [] });
    expect(screened(three).p).toBeCloseTo(1 / 16, 10);
    expect(screened({ a: ["01", "11", "00"], b: ["01", "11", "00"], c: ["11", "11", "00"] })).toMatchObject({ kept: false });
    expect(screened({ a: ["11", "11", "00"] })).toMatchObject({ kept: false, mean: 0, why: "its mean is not above 0" });
    expect(screened({ a: ["10", "10", "10"], b: ["10", "10", "10"] }).p).toBeGreaterThan(0.9);
  });

  it("weighs families alike, however many pairs each has", () => {
    expect(screened({ a: ["01", "01", "01", "01"], b: ["10"] }).mean).toBe(0);
  });

  it("keeps a removal that is not worse in the mean and cheaper", () => {
    const same = { a: ["11", "00", "01"], b: ["11", "00", "10"] };
    expect(screened(same, { removal: true, tokens: { base: 10, patch: 9 } }).kept).toBe(true);
    expect(screened(same, { removal: true, tokens: { base: 10, patch: 10 } }).kept).toBe(false);
    expect(screened(same, { tokens: { base: 10, patch: 9 } }).kept).toBe(false);
    expect(screened({ a: ["10", "00", "11"] }, { removal: true, tokens: { base: 10, patch: 1 } }).kept).toBe(false);
  });

  it("decides nothing before its end", () => {
    const early = screened({ a: ["01", "01", "01"], b: ["01", "01", "01"] }, { ended: false, planned: 24 });
    expect([early.kept, early.why]).toEqual([undefined, "screening has not ended: 6 of 24 pairs"]);
    expect(screenPatch([], { issue: "a", planned: 3, removal: true, tokens: { base: 1, patch: 0 }, ended: true }).kept).toBe(false);
  });

  it("keeps about one in ten of patches that do nothing", () => {
    const kept = fc
      .sample(fc.array(fc.constantFrom("01", "10", "00", "11"), { minLength: 24, maxLength: 24 }), { numRuns: 2000, seed: 1 })
      .map((some) => screened({ a: some.slice(0, 12), b: some.slice(12) }).kept);
    expect(kept.filter(Boolean).length / kept.length).toBeGreaterThan(0.05);
    expect(kept.filter(Boolean).length / kept.length).toBeLessThan(0.12);
  });
});

describe("predictions", () => {
  it("are scored by family, on failures for what they fix and on passes for what is at risk", () => {
    const some = pairs({ a: ["01", "00", "11"], b: ["01", "10", "11"], c: ["00", "10"] });
    expect(scorePredictions("x", some, { fixes: ["a"], atRisk: ["b"] })).toEqual({
      issue: "x",
      fixes: { families: ["a"], came: 1, of: 2 },
      elsewhere: { came: 1, of: 2 },
      atRisk: { families: ["b"], broke: 1, of: 2 },
      notAtRisk: { broke: 1, of: 2 },
    });
  });
});

describe("the one test of a plan", () => {
  it("is refused in another folder, and where its trials are gone", async () => {
    const [first, second] = [join(folder, "first"), join(folder, "second")];
    await refuseSecondTest(folder, "p", first, join(first, "job"));
    expect(await claimTest(folder, { plan: "p", folder: first, test: ["a", "b"], at: 1 })).toBe(0);
    expect(await claimTest(folder, { plan: "p", folder: first, test: ["a", "b"], at: 2 })).toBe(0);
    await expect(refuseSecondTest(folder, "p", second, folder)).rejects.toThrow(/was tested in .*first, and a plan is tested once/);
    await expect(refuseSecondTest(folder, "p", first, join(first, "job"))).rejects.toThrow(/is gone; a plan is tested once/);
    await refuseSecondTest(folder, "p", first, folder);
    await refuseSecondTest(folder, "q", second, join(second, "job"));
    expect(await claimTest(folder, { plan: "q", folder: second, test: ["b"], at: 3 })).toBe(1);
    expect(await claimTest(folder, { plan: "r", folder: second, test: ["z"], at: 3 })).toBe(0);
  });

  it("is remembered also after a line that a killed process left half-written", async () => {
    const torn = join(folder, "torn");
    mkdirSync(torn);
    writeFileSync(join(torn, "tests.jsonl"), '{"v":1,"plan":"o"');
    await claimTest(torn, { plan: "p", folder: torn, test: ["a"], at: 1 });
    await expect(refuseSecondTest(torn, "p", folder, folder)).rejects.toThrow(/a plan is tested once/);
  });

  it("is planned with the half-width that so many families give", () => {
    expect(plannedHalfWidth(15)).toBeCloseTo(0.155, 3);
    expect([plannedHalfWidth(1), plannedHalfWidth(2)]).toEqual([null, 1]);
  });
});
