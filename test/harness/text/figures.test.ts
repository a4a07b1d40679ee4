import { assert, double, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { hundredths, percent, pointsSize, probability, signedPoints } from "../../../harness/text/figures.ts";

describe("a number for reading", () => {
  it("of points has a decimal under ten, and of an end that is not 0 never reads 0", () => {
    expect([0.2917, -0.29, 0.0834, 0.05, 0.0004, -0.0004, 0, 1].map(signedPoints)).toEqual(
      ["+29", "−29", "+8.3", "+5", "+0.04", "−0.04", "0", "+100"], // prettier-ignore
    );
    expect(signedPoints(0.1 + 0.2 - 0.3)).toBe("0");
  });

  it("of percent is whole, and 100 or 0 only where it is all or nothing", () => {
    expect([0.5556, 0.9575, 0.996, 0.99999, 0.004, 1e-5, 0, 1].map(percent)).toEqual(
      ["56 %", "96 %", "99.6 %", "99.9 %", "0.4 %", "0.1 %", "0 %", "100 %"], // prettier-ignore
    );
  });

  it("of p has two digits, and stays on its side of 5 %", () => {
    expect([0.0021, 0.00098, 0.00001, 0.634, 0.5, 1, 0.0625].map(probability)).toEqual(
      ["p = .0021", "p = .001", "p < .0001", "p = .63", "p = .5", "p = 1", "p = .063"], // prettier-ignore
    );
    assert(
      property(double({ min: 0.0001, max: 1, noNaN: true }), (p) => {
        expect(Number(probability(p).replace("p = ", "")) < 0.05).toBe(p < 0.05 && p.toPrecision(6) !== "0.0500000");
      }),
    );
  });

  it("is rounded one way, however it was computed, and never to a negative zero", () => {
    expect([0.5875, 235 / 400, 0.0625, 0.1 + 0.2, -0.0004, 0.0004, 1 / 3].map(hundredths)).toEqual(
      ["58.8", "58.8", "6.3", "30.0", "0.0", "0.0", "33.3"], // prettier-ignore
    );
    assert(
      property(integer({ min: -400, max: 400 }), (n) => {
        expect(pointsSize(-n / 400)).toBe(pointsSize(n / 400));
        expect(hundredths((n / 400) * 3 - (n / 400) * 2)).toBe(hundredths(n / 400));
      }),
    );
  });
});
