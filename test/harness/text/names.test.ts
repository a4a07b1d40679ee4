import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeName } from "../../../evals/job/job-folder.ts";
import { nameFilter } from "../../../harness/text/name-filter.ts";

describe("a name as a folder", () => {
  it("is readable where it can be, and one part of a path always", () => {
    expect(encodeName("sum-column_2.0")).toBe("sum-column_2.0");
    expect(encodeName("org/name")).toBe("org%2Fname");
    expect(encodeName("..")).toBe("%2E.");
    expect(encodeName("größe")).toBe("gr%C3%B6%C3%9Fe");
  });

  it("is short enough, safe, and different for different names", () => {
    const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(name, name, (a, b) => {
        expect(encodeName(a)).toMatch(/^[A-Za-z0-9_%~-][A-Za-z0-9_%.~-]{0,119}$/);
        if (a !== b && a.isWellFormed() && b.isWellFormed()) expect(encodeName(a)).not.toBe(encodeName(b));
      }),
    );
  });
});

describe("a filter of task names", () => {
  it.each([
    ["sum-*", "sum-column", true],
    ["sum-*", "a-sum-column", false],
    ["*sum*", "a-sum-column", true],
    ["sum-?", "sum-12", false],
    ["{sum,fix}-*", "fix-off-by-one", true],
    ["{sum,fix}-*", "git-x", false],
    ["a.b", "axb", false],
    ["org/*", "org/name", true],
    ["a,b", "a,b", true],
    ["{open", "open", true],
    ["(x)|[y]", "(x)|[y]", true],
  ])("%s and %s: %s", (glob, name, fits) => {
    expect(nameFilter(glob)(name)).toBe(fits);
  });
});
