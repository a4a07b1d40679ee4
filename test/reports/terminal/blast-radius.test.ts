import { describe, expect, it } from "vitest";
import { blastRows } from "../../../reports/content/blast-rows.ts";
import { markdownBlastRadius } from "../../../reports/markdown/blast-radius.ts";
import { describeBlastRadius } from "../../../reports/terminal/blast-radius.ts";
import { createBlastRadius } from "../../../traces/replay/dry/blast-radius.ts";

/** A run in which nothing would be done. */
const dry = {
  task: "t",
  passed: false,
  turns: 3,
  divergence: undefined,
  notKnown: undefined,
  watched: ["breaks"],
  before: {},
  triggers: [],
  unanswered: {},
};

describe("what another configuration would have done, laid out", () => {
  it("says below the table what a middleware threw first, on one line that obeys nobody", () => {
    const radius = createBlastRadius();
    const error = (what: string): string => `The middleware "breaks" threw in its tool phase: ${what}\u001B[31m. Mend it.`;
    radius.add("a", { ...dry, error: error("no such\n| thing") });
    radius.add("b", { ...dry, error: error("another thing") });
    const result = radius.result();
    expect(result.triggers).toMatchObject([{ name: "breaks", threw: 2, error: error("no such\n| thing") }]);
    const line = 'breaks threw first: The middleware "breaks" threw in its tool phase: no such | thing�[31m. Mend it.';
    expect(blastRows(result, []).errors).toEqual([line]);
    const terminal = describeBlastRadius("mine.yaml", result, []).split("\n");
    expect(terminal.indexOf(line)).toBeGreaterThan(terminal.findIndex((one) => one.includes("threw in 2")));
    expect(markdownBlastRadius("mine.yaml", result, [])).toContain(
      '\n- breaks threw first: The middleware "breaks" threw in its tool phase: no such \\| thing',
    );
  });

  it("says of what cannot be known that it cannot, in a column and in a sentence, and adds it to nothing else", () => {
    const radius = createBlastRadius();
    const seen = { task: "t", turns: 3, divergence: undefined, notKnown: undefined, before: {}, triggers: [], unanswered: {} };
    const asks = {
      class: "control flow",
      at: "main/mw:context",
      seq: undefined,
      what: "No answer.",
      diff: "",
      middleware: "context",
      turn: 1,
    } as const;
    const unknown = { ...seen, watched: ["context", "gate"], notKnown: asks };
    radius.add("a", { ...unknown, passed: false, unanswered: { context: 1 } });
    radius.add("b", { ...unknown, passed: true, unanswered: { context: 1, gate: 2 } });
    radius.add("c", { ...seen, passed: false, watched: ["gate"] });
    const result = radius.result();
    expect(result.requests).toMatchObject({
      changed: { passed: 0, failed: 0 },
      first: undefined,
      classes: {},
      notKnown: { passed: 1, failed: 1, unknown: 0 },
      asks: { context: 2 },
    });
    const { summary, head, rows, notKnown } = blastRows(result, []);
    expect(summary.slice(1)).toEqual([
      "Requests: would differ in 0 of 2 failed and 0 of 1 passed runs.",
      "Requests: cannot be known in 1 of 2 failed and 1 of 1 passed runs, where a middleware needs data that was not recorded: only a live run can show it (context 2).",
      "Requests: would be the same in 1 of 2 failed and 0 of 1 passed runs.",
    ]);
    expect(head[4]).toBe("cannot be known");
    expect(rows.map((cells) => cells.slice(0, 5))).toEqual([
      ["context", "not known", "not known", "–", "2 of 2"],
      ["gate", "0 of 2", "not known", "–", "1 of 3"],
    ]);
    const sentences = [
      "context cannot be known in 2 runs (1 failed, 1 passed): it needs data that was not recorded: only a live run can show it.",
      "gate cannot be known in 1 run (1 passed): it needs data that was not recorded: only a live run can show it.",
    ];
    expect(notKnown).toEqual(sentences);
    const [terminal, page] = [describeBlastRadius("mine.yaml", result, []), markdownBlastRadius("mine.yaml", result, [])];
    for (const line of sentences) {
      expect(terminal.replaceAll(/\s+/g, " ")).toContain(` ${line}`);
      expect(page).toContain(`\n- ${line}`);
    }
    expect(page).toContain("| context | not known | not known | – | 2 of 2 |");
  });

  it("says that one cannot be known where another one threw", () => {
    const radius = createBlastRadius();
    radius.add("a", { ...dry, watched: ["breaks", "after"], error: 'The middleware "breaks" threw in its tool phase: no. Mend it.' });
    const { rows, notKnown } = blastRows(radius.result(), []);
    expect(rows.map((cells) => [cells[0], cells[1], cells[4], cells[8]])).toEqual([
      ["breaks", "0 of 1", "–", "0, threw in 1"],
      ["after", "not known", "1 of 1", "0"],
    ]);
    expect(notKnown).toEqual(["after cannot be known in 1 run (1 failed): another middleware threw before it could act."]);
  });
});
