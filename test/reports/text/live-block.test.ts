import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayWidth, fitWidth, padWidth } from "../../../reports/text/display-width.ts";
import { createLiveBlock } from "../../../reports/text/live-block.ts";
import { createScreen } from "./screen.ts";

const line = fc.stringMatching(/^[a-z ]{0,20}$/);

describe("a live block", () => {
  it("shows the last frame below everything that was put above, whatever came before", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ lines: fc.array(line, { maxLength: 6 }), above: fc.array(line, { maxLength: 3 }) })), (frames) => {
        const screen = createScreen(24, 10);
        const block = createLiveBlock(screen);
        for (const { lines, above } of frames) block.draw(lines, above.map((one) => `${one}\n`).join(""));
        const kept = frames.flatMap(({ above }) => above);
        const expected = [...kept, ...(frames.at(-1)?.lines ?? [])].map((one) => one.trimEnd());
        expect(screen.text().join("\n").trimEnd()).toBe(expected.join("\n").trimEnd());
      }),
    );
  });

  it("is one write a frame that overwrites in place: nothing is blank in between", () => {
    const screen = createScreen(40, 10);
    const block = createLiveBlock(screen);
    block.draw(["one", "two"]);
    block.draw(["ONE", "TWO"]);
    expect(screen.writes).toHaveLength(2);
    const clears = screen.writes[1]?.indexOf("\u001b[J") ?? -1;
    expect(clears).toBeGreaterThan(screen.writes[1]?.indexOf("TWO") ?? Infinity);
  });
});

describe("the width of a text", () => {
  it("counts cells: wide letters and pictures two, accents and colours none", () => {
    expect(["plain", "né", "ne\u0301", "漢字", "🙂", "👨‍👩‍👧", "❤️", "█…→×", "\u001b[31mred\u001b[39m"].map(displayWidth)).toEqual([
      5, 2, 2, 4, 2, 2, 2, 4, 3,
    ]);
  });

  it("is never more than what it was fitted to, and a text that fits stays as it is", () => {
    const text = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(text, fc.nat(30), (one, width) => {
        const fitted = fitWidth(one, width);
        expect(displayWidth(fitted)).toBeLessThanOrEqual(width);
        if (displayWidth(one) <= width) expect(fitted).toBe(one);
        expect(displayWidth(padWidth(one, width))).toBe(width);
      }),
    );
  });
});
