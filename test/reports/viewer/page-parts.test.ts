import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callDiff } from "../../../reports/content/call-diff.ts";
import { diffAt, jobAt, routeOf, runAt, taskAt } from "../../../reports/viewer/page/addresses.ts";
import { alignedRows } from "../../../reports/viewer/page/parts/lists/aligned-rows.ts";
import { createHeights } from "../../../reports/viewer/page/parts/lists/heights.ts";
import { cutText } from "../../../reports/viewer/runs/cut-text.ts";

describe("heights of rows", () => {
  it("are what a plain sum says, whatever was seen, in any order, and whatever is added", () => {
    const change = fc.record({ index: fc.nat(60), height: fc.nat(500) });
    fc.assert(
      fc.property(fc.nat(50), fc.nat(50), fc.array(change), fc.array(change), fc.nat(3000), (first, more, before, after, y) => {
        const heights = createHeights(40);
        const plain: number[] = Array.from({ length: first }, () => 40);
        const set = ({ index, height }: { index: number; height: number }): void => {
          heights.set(index, height);
          if (index < plain.length) plain[index] = height;
        };
        heights.resize(first);
        before.forEach(set);
        heights.resize(first + more);
        for (let i = 0; i < more; i++) plain.push(40);
        after.forEach(set);
        const sum = (n: number): number => plain.slice(0, n).reduce((total, height) => total + height, 0);
        for (let i = 0; i <= plain.length; i++) expect(heights.offset(i)).toBe(sum(i));
        const at = plain.findIndex((_, i) => sum(i + 1) > y);
        expect(heights.at(y)).toBe(at === -1 ? Math.max(0, plain.length - 1) : at);
      }),
    );
  });
});

describe("two runs side by side", () => {
  const side = (turns: readonly number[], part: number | null) => {
    let entry = 0;
    const marks = turns.map((size, turn) => ({ turn, entry: (entry += size) - size }));
    return { entries: entry, part, turns: marks };
  };
  const run = fc.array(fc.nat(4), { minLength: 1, maxLength: 6 });

  it("tell every entry of both once and in order, and begin each turn on one row", () => {
    fc.assert(
      fc.property(run, run, (a, b) => {
        const [left, right] = [side(a, null), side(b, null)];
        const rows = alignedRows(left, right);
        expect(rows.flatMap((row) => row.a ?? [])).toEqual(Array.from({ length: left.entries }, (_, i) => i));
        expect(rows.flatMap((row) => row.b ?? [])).toEqual(Array.from({ length: right.entries }, (_, i) => i));
        for (let turn = 0; turn < Math.min(a.length, b.length); turn++) {
          if (a[turn] === 0 || b[turn] === 0) continue;
          const row = rows.find((one) => one.a === left.turns[turn]?.entry);
          expect(row?.b).toBe(right.turns[turn]?.entry);
        }
      }),
    );
  });

  it("are level where they part, though one has told more before", () => {
    const rows = alignedRows(side([2, 3, 2], 4), side([0, 2, 3], 1));
    expect(rows.filter((row) => row.parts)).toEqual([{ a: 4, b: 1, parts: true }]);
    expect(rows.map(({ a, b }) => [a, b])).toEqual([[0, undefined], [1, undefined], [2, 0], [3, undefined], [4, 1], [5, 2], [6, 3], [undefined, 4]]); // prettier-ignore
  });
});

describe("addresses", () => {
  const place = fc.array(fc.string({ minLength: 1, maxLength: 8 }).filter((step) => step !== "." && step !== ".."), { minLength: 1, maxLength: 4 }).map((steps) => steps.map((step) => step.replaceAll("/", "_").toWellFormed()).join("/")); // prettier-ignore
  const followed = (address: string): ReturnType<typeof routeOf> => {
    const url = new URL(address, "http://127.0.0.1");
    return routeOf(url.pathname, url.search);
  };

  it("lead back to what they were made of, whatever folders are called", () => {
    fc.assert(
      fc.property(place, fc.nat(), fc.string().map((text) => text.toWellFormed()), (at, seq, task) => {
        expect(followed(jobAt(at))).toEqual({ page: "job", at });
        expect(followed(runAt(at, seq))).toEqual({ page: "run", at, seq });
        expect(followed(taskAt(at, task))).toEqual({ page: "task", at, task });
        expect(followed(diffAt(at, task))).toEqual({ page: "diff", a: at, b: task });
      }),
    ); // prettier-ignore
  });

  it("are none of a page where they are none at all", () => {
    expect(routeOf("/run/%E0%A4%A", "")).toEqual({ page: "nowhere" });
    expect(routeOf("/elsewhere/x", "")).toEqual({ page: "nowhere" });
  });
});

describe("texts", () => {
  it("are cut at lines or characters, whichever comes first, and told how long they are", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", "\n") }),
        fc.integer({ min: 1, max: 5 }),
        fc.nat(20),
        (text, lines, characters) => {
          const cut = cutText(text, { lines, characters });
          expect(text.startsWith(cut.text)).toBe(true);
          expect(cut.text.split("\n").length).toBeLessThanOrEqual(lines);
          expect(cut.text.length).toBeLessThanOrEqual(characters);
          expect(cut).toMatchObject({ size: text.length, lines: text === "" ? 0 : text.split("\n").length });
          if (text.length <= characters && cut.lines <= lines) expect(cut.text).toBe(text);
        },
      ),
    );
  });

  it("that replace others are shown as a diff, those that are too long to compare are not", () => {
    const call = (args: object) => ({ call: { name: "edit", args: { ...args } } });
    expect(callDiff(call({ path: "a", old_string: "x", new_string: "y" }))).toBe("--- a\n+++ a\n-x\n+y");
    expect(callDiff(call({ path: "a\u001b[2J", content: "1\n2\n" }))).toBe("--- a\uFFFD[2J\n+++ a\uFFFD[2J\n+1\n+2");
    expect(callDiff(call({ path: "q.sql", old_string: "-- a\nb", new_string: "b\n++ c" }))).toBe("--- q.sql\n+++ q.sql\n--- a\n b\n+++ c");
    expect(callDiff(call({ command: "ls" }))).toBeUndefined();
    expect(callDiff(call({ path: "a", old_string: "x".repeat(60_000), new_string: "y".repeat(60_000) }))).toBeUndefined();
  });
});
