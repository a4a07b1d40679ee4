import { describe, expect, it } from "vitest";
import { isCited } from "../../../analyzer/detectors/citation.ts";
import { detectors } from "../../../analyzer/detectors/detectors.ts";
import { findFaults } from "../../../analyzer/detectors/find-faults.ts";
import { makeRun, type MadeTurn } from "../make-run.ts";

const names = async (turns: readonly MadeTurn[]): Promise<string[]> =>
  findFaults(await makeRun({ turns, passed: false }), detectors).faults.map(({ detector }) => detector);
const unknown = (tool: string): MadeTurn => ({
  calls: [{ tool, args: {}, status: "error", error: "unknown_tool", output: `There is no tool "${tool}". The tools are: bash.` }],
});
const json = '```json\n{"tool": "sed", "args": {"-i"}}\n```';

describe("the first detectors", () => {
  it("names a tool that does not exist, at the step of its call", async () => {
    const run = await makeRun({ turns: [{ calls: [{ args: "ls" }] }, unknown("sed")], passed: false });
    const [fault] = findFaults(run, detectors).faults;
    expect(fault).toMatchObject({
      detector: "unknown-tool",
      kind: "malformed-call",
      step: 2,
      mechanism: "no such tool: sed",
      confidence: "high",
    });
  });

  it("names a call that was taken for the final answer, and leaves JSON alone that is data", async () => {
    expect(await names([{ text: json }])).toEqual(["unread-call"]);
    expect(await names([{ text: '{"users": [{"id": 1}]}' }])).toEqual([]);
  });

  it("names a call that was sent to the shell, and leaves alone one that the shell could read", async () => {
    const command = '{"tool": "sed", "args": {}}';
    expect(await names([{ calls: [{ args: command, status: "error", error: "exit_code", output: "bash: not found" }] }])).toEqual([
      "unread-call",
    ]);
    expect(await names([{ calls: [{ args: `echo '${command}'`, output: command }] }])).toEqual([]);
  });

  it("names the third call with the same answer, refused ones too, and none with an edit between", async () => {
    const same = { calls: [{ args: "cat notes.txt", output: "the same" }] };
    const refused = { calls: [{ args: "cat notes.txt", deniedBy: "loop-detection", output: "Not executed: it was made before." }] };
    expect(await names([same, same, refused])).toEqual(["repeated-call"]);
    expect(await names([same, same])).toEqual([]);
    const edited = { calls: [{ args: "cat notes.txt", output: "the same", edited: ["notes.txt"] }] };
    expect(await names([same, edited, same])).toEqual([]);
  });
});

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
