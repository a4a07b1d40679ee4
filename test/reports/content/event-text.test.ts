import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventSchemas, type EventType } from "../../../harness/events/schema.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { eventText, laneText } from "../../../reports/content/event-text.ts";
import { turnText } from "../../../reports/terminal/run-text.ts";
import { runFixture } from "../../../testing.ts";
import { turnsOf } from "../../../traces/read/turns.ts";

const obeyed = /[^\P{C}\n\t]/u;
const plain = { cwd: "/", full: false };

describe("an event for a reader", () => {
  it("is one line and a text that no terminal obeys, whatever its data are", () => {
    const key = fc.oneof(
      fc.constantFrom(
        "message",
        "content",
        "text",
        "type",
        "reply",
        "effects",
        "edited",
        "call",
        "args",
        "usage",
        "outcome",
        "spent",
        "name",
      ),
      fc.string({ unit: "binary" }),
    );
    const { data } = fc.letrec((tie) => ({
      data: fc.dictionary(key, tie("value"), { maxKeys: 5 }),
      value: fc.oneof(
        { depthSize: "small" },
        fc.string({ unit: "binary" }),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 3 }),
        tie("data"),
      ),
    }));
    const type = fc.oneof(
      fc.constantFrom(...Object.keys(eventSchemas)),
      fc.string({ unit: "binary" }),
      fc.constantFrom("__proto__", "constructor"),
    );
    fc.assert(
      fc.property(type, fc.string({ unit: "binary" }), data, (t, lane, d) => {
        const { head, body } = eventText({ t: t as EventType, lane, d: d as JsonObject }); // a trace may hold types that nobody knows
        expect(head).not.toMatch(obeyed);
        expect(head).not.toContain("\n");
        expect(body).not.toMatch(obeyed);
        expect(laneText(lane)).not.toMatch(obeyed);
      }),
      { numRuns: 500 },
    );
  });

  it("leaves another agent's own log of events out of what its process printed", () => {
    const d = { text: "How the agent's process ended.", exitCode: 1, stderr: "It broke." };
    const bodyOf = (stdout: string): string => eventText({ t: "note", lane: "trial", d: { ...d, stdout } }).body;
    expect(bodyOf('"cut": 1}\n{"type":"result"}\nPlain words.\n')).toBe("Plain words.\n(2 lines of its own log, as JSON)\nIt broke.");
    expect(bodyOf("Done: {x}\nand more")).toBe("Done: {x}\nand more\nIt broke.");
  });

  it("tells a turn with its calls, their results below them, and long texts cut", async () => {
    const { events } = await runFixture({
      script: [{ text: "I look.", calls: [{ name: "bash", args: { command: "ls" } }] }, { text: "end" }],
      exec: () => Array.from({ length: 20 }, (_, i) => `\u001b[2Jline ${i}`).join("\n"),
    });
    const turn = turnsOf(events.map((event, seq) => ({ ...event, seq }))).find((one) => one.turn === 1);
    if (!turn) throw new Error("the run has no first turn");
    const short = turnText(turn, plain);
    expect(short).toMatch(/^turn 1 .*1 call/);
    expect(short).toMatch(/\n {6}I look\.\n {2}1\.1 bash ls {2}→ ok, /);
    expect(short).toContain("\n      \uFFFD[2Jline 4");
    expect(short).not.toContain("line 9");
    expect(short).toMatch(/… 1\d lines more/);
    expect(turnText(turn, { ...plain, full: true })).toContain("line 19");
    for (const line of short.split("\n").slice(1)) expect(line).toMatch(/^ {2}/);
  });
});
