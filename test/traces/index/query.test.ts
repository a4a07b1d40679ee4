import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excerptOf, fitsQuery, parseQuery } from "../../../traces/index/query.ts";

const fits = (query: string, text: string): boolean => {
  const parsed = parseQuery(query);
  if (!parsed) throw new Error("no query");
  return fitsQuery(parsed, text);
};

describe("what is searched for", () => {
  it("is words that stand in one text in any order, whatever their case and accents", () => {
    expect(fits("FILE such", "No such file")).toBe(true);
    expect(fits("such dir", "No such file")).toBe(false);
    expect(fits("Café", "the cafe\u0301 is open")).toBe(true);
  });

  it("is a phrase in quotation marks or around punctuation, and a word that goes on with a star", () => {
    expect(fits('"such file"', "No such file")).toBe(true);
    expect(fits('"file such"', "No such file")).toBe(false);
    expect(fits("src/main.c", "gcc src/main.c")).toBe(true);
    expect(fits("src/main.c", "main.c in src")).toBe(false);
    expect([fits("fil*", "No such file"), fits("fil", "No such file"), fits('"such fi"*', "No such file")]).toEqual([true, false, true]);
  });

  it("is nothing where it holds no word", () => {
    expect(["", '""', "*", "…", '" - "'].map(parseQuery)).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  it("is shown in the line where it stands, cut around it", () => {
    const query = parseQuery("needle");
    if (!query) throw new Error("no query");
    const excerpt = excerptOf(query, `first\n${"hay ".repeat(100)}needle${" hay".repeat(100)}\nlast`, 40);
    expect(excerpt).toContain("needle");
    expect(excerpt).toHaveLength(42);
  });

  it("never throws, whatever is typed, and shows a short excerpt", () => {
    expect.hasAssertions();
    fc.assert(
      fc.property(fc.string(), fc.string(), (query, text) => {
        const parsed = parseQuery(query);
        const shown = parsed === undefined ? "" : excerptOf(parsed, text);
        expect([typeof (parsed === undefined || fitsQuery(parsed, text)), shown.length < 163]).toEqual(["boolean", true]);
      }),
    );
  });
});
