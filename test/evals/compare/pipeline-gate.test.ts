import { describe, expect, it } from "vitest";
import { compare, type CompareOptions } from "../../../evals/compare/compare.ts";
import { gateOf, type Gate } from "../../../evals/compare/pipeline-gate.ts";
import { job, suite, type Scores } from "./scored-job.ts";
import { rowsOf, tableOf } from "./tables.ts";

const gate = (a: Scores, b: Scores, o: CompareOptions & { simulated?: boolean } = {}): Gate =>
  gateOf(compare([job({ a, b }, { simulated: o.simulated ?? false })], o));

describe("the gate", () => {
  it("fails what is worse, and passes where no regression was shown", () => {
    expect(
      gate(
        suite(40, () => 1),
        suite(40, (i) => (i < 20 ? 1 : 0)),
      ),
    ).toMatchObject({ answer: "failed", why: "b: worse than the baseline." });
    expect(
      gate(
        suite(40, () => 1),
        suite(40, () => 1),
      ),
    ).toEqual({ answer: "passed", why: "No regression was shown." });
  });

  it("with a margin passes only what rules out a larger loss", () => {
    const [a, b] = [suite(40, (i) => i % 2), suite(40, (i) => (i === 1 ? 0 : i % 2))];
    expect(gate(a, b, { margin: 0.15 })).toEqual({ answer: "passed", why: "A loss of more than 15 points is ruled out." });
    expect(gate(a, b, { margin: 0.05 })).toMatchObject({
      answer: "underpowered",
      why: expect.stringMatching(/^b may be worse by as much as 1\d points/),
    });
  });

  it("does not pass on too few tasks, and does on a plumbing check", () => {
    expect(
      gate(
        suite(8, () => 1),
        suite(8, () => 1),
      ).answer,
    ).toBe("underpowered");
    expect(
      gate(
        suite(40, () => 1),
        suite(40, () => 0),
        { simulated: true },
      ).answer,
    ).toBe("passed");
  });

  it("passes nothing where there is nothing to compare, and nothing that is invalid, and says why", () => {
    expect(gateOf(compare([job({ a: suite(40, () => 1) })]))).toEqual({
      answer: "underpowered",
      why: "There is only the configuration a, and nothing to compare it with; name another job, or the baseline's with --baseline.",
    });
    const b = suite(40, () => 1);
    expect(
      gate(
        suite(40, (i) => (i < 3 ? null : 0)),
        b,
      ),
    ).toEqual({
      answer: "underpowered",
      why: "jobs/a is invalid: 3 of 80 trials have no score, more than one and 2 %, so what the whole would show is not known; resume its bench.",
    });
    expect(
      gate(
        suite(40, () => 1),
        suite(40, (i) => (i < 20 ? null : i < 34 ? 1 : 0)),
      ).answer,
    ).toBe("failed"); // worse, however the lost are read
  });

  it("does not pass an arm whose loss shows as soon as its missing trials count", () => {
    const a = rowsOf("a", 40, 1, () => 1);
    const b = rowsOf("b", 40, 1, (task) => (task < 28 ? 1 : undefined));
    expect(gateOf(compare([], {}, [tableOf([...a, ...b])]))).toEqual({
      answer: "underpowered",
      why: "b is worse when trials that are missing or have no score count as failures, and not in every other reading.",
    });
  });

  it("says what cannot be compared", () => {
    const there = job({ b: suite(20, () => 1) }, { folder: "jobs/b", digest: "other" });
    expect(gateOf(compare([job({ a: suite(20, () => 1) }), there])).answer).toBe("not comparable");
  });
});
