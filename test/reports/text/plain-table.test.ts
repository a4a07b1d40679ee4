import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { jsonLine } from "../../../reports/text/json-line.ts";
import { plainTable } from "../../../reports/text/lay-table.ts";
import { oneLine, printable } from "../../../harness/text/printable.ts";

const hostile = fc.string({
  unit: fc.constantFrom("a", "Z", " ", "  ", "\t", "\n", "\r", "\u001b", "\u007f", "\u009b", "\u202e", "\ud800", "é", "表", "\u00a0"),
});

describe("a table of plain text", () => {
  it("gives each character the columns that terminals give it", () => {
    const codes = [...Array.from({ length: 0xe0 }, (_, i) => 0x20 + i), 0x2026, 0x8868, 0xac00, 0x1f600, 0x200b, 0xff41];
    for (const code of codes.filter((one) => one < 0x7f || one > 0x9f)) {
      const text = `x${String.fromCodePoint(code)}x`;
      const [, row = ""] = plainTable(["a", "b"], [[text, 1]]).split("\n");
      expect(stringWidth(row.slice(0, -1)), code.toString(16)).toBe(stringWidth(text) + 2);
    }
  });

  it("sets columns by what a terminal shows: wide characters, accents, cells of several lines, numbers", () => {
    const rows = [
      ["表", 1, "ab"],
      ["e\u0301", 22, "c\nde\n"],
      ["plain", 333, ""],
    ];
    expect(plainTable(["a", "b", "c"], rows).split("\n").slice(1)).toEqual([
      "表       1  ab",
      "e\u0301       22   c",
      "            de",
      "",
      "plain  333",
    ]);
    expect(plainTable(["a", "b", "c"], rows, { left: true }).split("\n").slice(1)).toEqual([
      "表     1    ab",
      "e\u0301      22   c",
      "            de",
      "",
      "plain  333",
    ]);
  });
});

describe("a table that is too wide", () => {
  const wide = [["a-name-that-goes-on-and-on-0001", "x".repeat(60), "y", "12"]];
  it("loses its dispensable columns first, then the middle of names, and no other text", () => {
    const head = ["name", "text", "less", "n"];
    expect(plainTable(head, wide, { most: 60, dispensable: ["less", "n"] }).split("\n")[0]).not.toMatch(/less| n$/);
    expect(plainTable(head, wide, { most: 100, dispensable: ["less", "n"] }).split("\n")[0]).toMatch(/^name .*text +n$/);
    expect(plainTable(head, wide, { most: 80 })).toMatch(/^a-name-that-goes-on-and-on-0001 +x+…x+ +y +12$/m);
  });
  it("goes on below, with its first column again, and takes no more columns than it may", () => {
    const cells = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "表", "-"), maxLength: 70 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(cells, fc.integer({ min: 60, max: 100 }), (row, most) => {
        const laid = plainTable(row.map((_, i) => `h${i}`), [row], { most }); // prettier-ignore
        for (const line of laid.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(most);
        for (const [i] of row.entries()) expect(laid).toMatch(new RegExp(`\\bh${i}\\b`));
      }),
    );
  });
});

describe("a text as a terminal may show it", () => {
  it("has nothing that a terminal obeys, and is the same character by character where there was nothing of it", () => {
    const shown = (character: string): string => (/[\n\t]|\P{C}/u.test(character) ? character : "\uFFFD");
    fc.assert(
      fc.property(hostile, (text) => {
        expect(printable(text)).toBe(Array.from(text, shown).join(""));
      }),
    );
  });
  it("is one line without space around it or twice in it", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = oneLine(text);
        expect(line).not.toMatch(/^\s|\s$|\s\s|[^\S ]/);
        expect(line).toBe(printable(text.split(/\s+/).filter(Boolean).join(" ")));
      }),
    );
  });
  it("is as JSON the same value, on a line without such characters", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(jsonLine({ text })).not.toMatch(/\p{C}/u);
        expect(JSON.parse(jsonLine({ text }))).toEqual({ text });
      }),
    );
  });
});
