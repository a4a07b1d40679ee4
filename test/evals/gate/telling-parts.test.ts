import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineHash, lineHashes } from "../../../harness/hash/line-hashes.ts";
import { tellingParts, type HiddenText } from "../../../evals/gate/hidden/telling-parts.ts";

const linesOf = (lines: readonly string[]): Float64Array => lineHashes(Buffer.from(lines.join("\n")));
const hidden = (name: string, lines: readonly string[]): HiddenText => ({ path: name, name, text: lines.join("\n") });
const nothing = { asked: "", tests: [], states: [] };
const file = (lines: readonly string[], path = "environment/app/notes.md") => ({ path, lines: linesOf(lines) });

/** So many lines of a test, each long enough to tell. */
const checks = (n: number, of = "result"): string[] =>
  Array.from({ length: n }, (_, i) => `    assert ${of}_of(${i}) == ${i * 17}, "case ${i}"`);

describe("parts of hidden tests", () => {
  const test = ["import pytest", "from app.words import words_of_text", "", ...checks(30)];

  it.each([
    ["a copy without its first line", test.slice(1)],
    ["five lines in another file", ["# Notes", ...checks(30).slice(10, 15), "And so on."]],
    [
      "lines with others between them",
      checks(30)
        .slice(0, 5)
        .flatMap((line) => [line, "pass", "pass", "pass"]),
    ],
    ["a copy with other indents and line ends", test.map((line) => `\t${line.trim()}\r`)],
  ])("are found: %s", (_, lines) => {
    expect(tellingParts([hidden("tests/test_words.py", test)], nothing).in(file(lines))?.of).toBe("tests/test_words.py");
  });

  it.each([
    ["four lines", checks(4)],
    ["five lines far from each other", checks(5).flatMap((line) => [line, ...Array.from({ length: 8 }, (_, i) => `x = ${i}`)])],
    ["imports", test.slice(0, 2)],
    ["one line many times", Array.from({ length: 40 }, () => checks(1)).flat()],
  ])("are not: %s", (_, lines) => {
    expect(tellingParts([hidden("tests/test_words.py", test)], nothing).in(file(lines))).toBeUndefined();
  });

  it("are found of a short test only as nearly all of it", () => {
    const short = tellingParts([hidden("tests/test.sh", ["#!/bin/bash", "set -e", "cd /app", ...checks(1)])], nothing);
    expect(short.in(file(["set -e", "cd /app", "more", ...checks(1)]))?.lines).toBe(3);
    expect(short.in(file(["set -e", ...checks(1)]))).toBeUndefined();
  });

  it("are no licence, whatever the language writes it behind", () => {
    const licence = Array.from({ length: 12 }, (_, i) => ` * Line ${i} of a licence that every file begins with`);
    const look = tellingParts([hidden("tests/WordsTest.java", ["/*", ...licence, " */", ...checks(8)])], nothing);
    expect(look.in(file(["/*", ...licence, " */", "class Words {}"], "environment/app/Words.java"))).toBeUndefined();
  });

  it("are neither what is asked for, nor given tests, nor the given state of a file that the verifier brings", () => {
    const name = "tests/reference/app/words.py";
    const states = [linesOf([...checks(12), "wrong = True"])];
    const given = tellingParts([hidden(name, [...checks(12), "right = True"])], { ...nothing, states });
    expect(given.in(file(checks(12)))).toBeUndefined();
    const prebuilt = tellingParts([hidden(name, checks(12))], nothing); // its given state is in the image alone
    expect(prebuilt.in(file(checks(12), "/srv/app/words.py"))).toBeUndefined();
    expect(prebuilt.in(file(checks(12), "/srv/app/other.py"))).toBeDefined();
    const pristine = tellingParts([hidden("tests/test_words.py", checks(12))], { ...nothing, tests: [linesOf(checks(12))] });
    expect(pristine.in(file(checks(12)))).toBeUndefined();
    const asked = tellingParts([hidden("tests/test_words.py", checks(12))], { ...nothing, asked: checks(12).join("\n") });
    expect(asked.in(file(checks(12)))).toBeUndefined();
    // A test that lies in tests/ itself is no state of anything, whatever a given file is called.
    const named = tellingParts([hidden("tests/words.py", checks(12))], { ...nothing, states });
    expect(named.in(file(checks(12), "environment/app/words.py"))).toBeDefined();
  });

  it("are no data, which may be a part of what is given", () => {
    const rows = Array.from({ length: 20 }, (_, i) => `2026-01-05,customer-${i},${i * 10}.50,paid in full`);
    expect(tellingParts([hidden("tests/expected.csv", rows)], nothing).in(file(rows, "environment/app/all.csv"))).toBeUndefined();
  });
});

describe("parts of hidden solutions", () => {
  const program = Array.from({ length: 20 }, (_, i) => `    print("line ${i} of a longer program")`);
  const look = tellingParts([hidden("solution/solve.sh", ["#!/bin/bash", "cat > app.py <<'END'", ...program, "print(1)", "END"])], nothing);

  it("are found as a whole, and from five lines on without one", () => {
    expect(look.in(file(["# Answer", "cat > app.py <<'END'", ...program, "print(1)", "END", "more"]))).toBeDefined();
    expect(look.in(file([...program, "print(1)", "END"]))).toBeDefined();
  });

  it("are not what they mend", () => {
    expect(look.in(file([...program, "print(2)"], "environment/app/app.py"))).toBeUndefined();
  });
});

describe("line hashes", () => {
  it("are the same for the same lines whatever blanks surround them, and there are none of what is no text", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (texts) => {
        const lines = texts.flatMap((text) => text.split(/[\n\r]/));
        const kept = lines.map((line) => line.replace(/^[ \t\v\f\r]+|[ \t\v\f\r]+$/g, "")).filter((line) => line !== "");
        if (texts.some((text) => text.includes("\0"))) return;
        expect([...lineHashes(Buffer.from(lines.map((line) => ` ${line}\t`).join("\n")))]).toEqual(kept.map(lineHash));
      }),
    );
    expect(lineHashes(Buffer.from("one\0two\n"))).toHaveLength(0);
  });
});
