import { describe, expect, it } from "vitest";
import { blastRows } from "../../reports/blast-rows.ts";
import { markdownBlastRadius } from "../../reports/markdown/blast-radius.ts";
import { describeBlastRadius } from "../../reports/terminal/blast-radius.ts";
import { createBlastRadius } from "../../traces/replay/blast-radius.ts";

describe("what another configuration would have done, laid out", () => {
  it("says below the table what a middleware threw first, on one line that obeys nobody", () => {
    const radius = createBlastRadius();
    const dry = {
      task: "t",
      passed: false,
      turns: 3,
      divergence: undefined,
      watched: ["breaks"],
      before: {},
      triggers: [],
      unanswered: {},
    };
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
});
