import { expect, it } from "vitest";
import { turnText } from "../../../reports/terminal/run-text.ts";
import type { NumberedEvent } from "../../../traces/read/turns.ts";

it("leaves a snapshot after a call out where a turn is folded, since the call's result names what was edited, and has it where nothing is cut", () => {
  const event = (seq: number, lane: string, d: NumberedEvent["d"]): NumberedEvent => ({ t: "fs.snapshot", lane, n: 0, cause: [], seq, d });
  const events = [
    event(1, "fs", { tree: "", changed: ["a.txt"], removed: ["b.txt"] }),
    event(2, "trial", { tree: "", changed: ["c.txt"], counts: { changed: 700, removed: 0 } }),
  ];
  const turn = { turn: 1, events, input: 0, output: 0, costUsd: 0, activeMs: 0, calls: 0, interventions: 0 };
  const folded = turnText(turn, { cwd: "/", full: false });
  expect(folded).not.toContain("a.txt");
  expect(folded).toContain("the workdir afterwards: 700 changed, 0 removed");
  const full = turnText(turn, { cwd: "/", full: true });
  expect(full).toContain("the workdir after the call: 1 changed, 1 removed");
  expect(full).toContain("b.txt (removed)");
});
