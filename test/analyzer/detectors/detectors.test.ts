import { describe, expect, it } from "vitest";
import { isCited } from "../../../analyzer/detectors/citation.ts";
import { detectors } from "../../../analyzer/detectors/detectors.ts";
import { findFaults } from "../../../analyzer/detectors/find-faults.ts";
import { makeRun } from "../make-run.ts";
import { fixtures } from "./fixtures/all-fixtures.ts";

describe.each(detectors)("the detector $name", (detector) => {
  const { for: those, against } = fixtures[detector.name] ?? { for: [], against: [] };

  it("fires on runs with its fault, with citations that hold, and is found with its kind", async () => {
    expect(those.length).toBeGreaterThan(0);
    for (const made of those) {
      const run = await makeRun(made);
      const candidates = detector.detect(run);
      expect(candidates.length, JSON.stringify(made)).toBeGreaterThan(0);
      expect(candidates.every((candidate) => isCited(run, candidate))).toBe(true);
      expect(findFaults(run, detectors).faults).toContainEqual(expect.objectContaining({ detector: detector.name, kind: detector.kind }));
    }
  });

  it("does not fire on runs that are like these and have not its fault", async () => {
    expect(against.length).toBeGreaterThan(0);
    for (const made of against) expect(detector.detect(await makeRun(made)), JSON.stringify(made)).toEqual([]);
  });
});

describe("the detectors", () => {
  it("have names of their own, and no fixtures are left over", () => {
    const names = detectors.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(fixtures).filter((name) => !names.includes(name))).toEqual([]);
  });

  it("say the same of a run each time, and a cause before its symptom", async () => {
    const missing = fixtures["missing-dependency"]?.for[0];
    const runs = await Promise.all([missing, missing].map((made) => makeRun(made ?? { turns: [] })));
    const [one, two] = runs.map((run) => findFaults(run, detectors).faults.map(({ detector, seq, quote }) => ({ detector, seq, quote })));
    expect(one).toEqual(two);
    expect(one?.map(({ detector }) => detector).slice(0, 2)).toEqual(["missing-dependency", "gave-up"]);
  });
});
