import { describe, expect, it } from "vitest";
import { holdToTests } from "../../../../evals/trial/verify/expected-tests.ts";
import { fixtureTask, removeScratch } from "../../bench-fixture.ts";
import { afterAll } from "vitest";

afterAll(removeScratch);

const passing = { type: "rewards", rewards: { reward: 1 }, score: 1 } as const;
const ctrf = (tests: Record<string, string>, count = Object.keys(tests).length): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      results: { summary: { tests: count }, tests: Object.entries(tests).map(([name, status]) => ({ name, status, duration: 1 })) },
    }),
  );

describe("a passing reward", () => {
  it("is taken where every expected test is listed and passed", async () => {
    const task = await fixtureTask({ forge: 'tests = ["a", "b"]' });
    expect(holdToTests(task, passing, ctrf({ a: "passed", b: "passed", c: "passed" }))).toEqual(passing);
  });

  it.each([
    ["an expected test is missing", ctrf({ a: "passed" }), '1 of 2 expected tests did not run: "b"'],
    ["one was skipped", ctrf({ a: "passed", b: "skipped" }), '"b (skipped)" did not pass'],
    ["another one failed", ctrf({ a: "passed", b: "passed", c: "failed" }), '"c (failed)" did not pass'],
    ["the report counts other tests than it lists", ctrf({ a: "passed", b: "passed" }, 3), "counts 3 tests and lists 2"],
    ["the report is none", Buffer.from('{"results": {}}'), "no CTRF report"],
    ["there is no report", undefined, "wrote no /logs/verifier/ctrf.json"],
  ])("is not taken where %s", async (_, report, why) => {
    const task = await fixtureTask({ forge: 'tests = ["a", "b"]' });
    expect(holdToTests(task, passing, report)).toMatchObject({ score: 0, rewards: { reward: 1 }, why: expect.stringContaining(why) });
  });

  it("is held to a report that nobody asked for too, and to nothing where there is neither", async () => {
    const task = await fixtureTask();
    expect(holdToTests(task, passing, ctrf({ a: "skipped" }))).toMatchObject({ score: 0 });
    expect(holdToTests(task, passing, ctrf({}))).toMatchObject({ score: 0, why: expect.stringContaining("lists no test") });
    expect(holdToTests(task, passing, undefined)).toEqual(passing);
  });
});
