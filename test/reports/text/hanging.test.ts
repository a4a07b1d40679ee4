import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayWidth } from "../../../reports/text/display-width.ts";
import { folded, hanging } from "../../../reports/text/wrapped.ts";

const words = fc.array(fc.stringMatching(/^[a-zé→]{1,12}$/), { minLength: 1, maxLength: 40 });

describe("a recorded line that is folded", () => {
  it("is whole in its rows, none of which is wider than it may be", () => {
    const text = fc.string({ unit: fc.constantFrom("a", " ", "é", "表", "\u{1f600}", "{"), maxLength: 300 });
    fc.assert(
      fc.property(text, fc.integer({ min: 8, max: 60 }), (line, width) => {
        const rows = folded(line, width);
        expect(rows.every((row) => displayWidth(row) <= width)).toBe(true);
        expect(rows.join("").replaceAll(" ", "")).toBe(line.replaceAll(" ", ""));
      }),
    );
  });
});

describe("a line that hangs", () => {
  it("keeps its words and its indent, and no line of it is wider than it may be", () => {
    fc.assert(
      fc.property(words, fc.nat(6), fc.integer({ min: 30, max: 100 }), (given, indent, width) => {
        const line = " ".repeat(indent) + given.join(" ");
        const lines = hanging(line, width).split("\n");
        expect(lines.map((one) => one.trim()).join(" ")).toBe(given.join(" "));
        expect(lines.every((one) => displayWidth(one) <= width)).toBe(true);
        expect(lines.map((one) => one.search(/\S/))).toEqual(lines.map((_, i) => (i === 0 ? indent : indent + 2)));
      }),
    );
  });
});
