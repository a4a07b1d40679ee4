import fc from "fast-check";
import { expect, it } from "vitest";
import { cutAtWord } from "../../../reports/text/format.ts";

it.each([
  ["Mend the parser", 100, "Mend the parser"],
  ["Mend the parser, and say why", 18, "Mend the parser…"],
  ["Mend the parser - now", 19, "Mend the parser…"],
  ["Incomprehensibilities", 10, "Incompreh…"],
  ["👍👍👍👍", 3, "👍👍…"],
])("cuts %j to %d characters at a word", (text, most, cut) => {
  expect(cutAtWord(text, most)).toBe(cut);
});

it("is never longer than it may be", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 20 }), (text, most) => {
      expect(Array.from(cutAtWord(text, most)).length).toBeLessThanOrEqual(most);
    }),
  );
});
