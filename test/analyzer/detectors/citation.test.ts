import { describe, expect, it } from "vitest";
import { isCited } from "../../../analyzer/detectors/citation.ts";
import { makeRun } from "../make-run.ts";

describe("a citation", () => {
  it("holds for a piece of an event of 20 characters, or a whole field of it", async () => {
    const run = await makeRun({ turns: [{ calls: [{ args: "cat notes.txt", output: "a long line that says something" }] }] });
    const [step] = run.steps;
    const seq = step?.resultSeq ?? -1;
    expect(isCited(run, { seq, quote: "long line that says some" })).toBe(true);
    expect(isCited(run, { seq: step?.seq ?? -1, quote: "cat notes.txt" })).toBe(true);
    expect(isCited(run, { seq, quote: "long line" })).toBe(false);
    expect(isCited(run, { seq, quote: "a line that is not there at all" })).toBe(false);
    expect(isCited(run, { seq: 99, quote: "a long line that says something" })).toBe(false);
    expect(isCited(run, { seq: -1, quote: "a long line that says something" })).toBe(false);
  });

  it("does not hold for the task or the system prompt", async () => {
    const instruction = "Write the number of lines to count.txt.";
    const run = await makeRun({ instruction, turns: [{ text: "DONE" }] });
    expect(isCited(run, { seq: 0, quote: instruction })).toBe(false);
    expect(isCited(run, { seq: 0, quote: "You are a coding agent that works until it is done." })).toBe(false);
  });
});
