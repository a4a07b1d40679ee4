import { describe, expect, it } from "vitest";
import { closingLines } from "../../scripts/setup/closing-lines.mjs";

const report = { numPassedTests: 7, numFailedTests: 1, numPendingTests: 3, testResults: [] };

describe("the closing lines of npm test", () => {
  it("name each missing thing once, with its reason, its cure and the tests that waited for it", () => {
    const lack = { what: "docker", reason: "no Docker daemon answers", cure: "dockerd &" };
    const skips = ["test/b.test.ts", "test/a.test.ts", "test/b.test.ts"].map((test) => ({ test, ...lack }));
    expect(closingLines(skips, report, false).lines).toEqual([
      "",
      "Skipped, because something is missing here:",
      "  docker: no Docker daemon answers",
      "    to provide it: dockerd &",
      "    tests: test/a.test.ts, test/b.test.ts",
      "",
      "3 skipped",
      "7 passed, 1 failed",
    ]);
  });

  it("count a skip as a failure where everything is required", () => {
    expect(closingLines([], report, true)).toEqual({
      lines: ["", "3 skipped, each a failure (FORGE_REQUIRE=all)", "7 passed, 4 failed"],
      failed: 4,
    });
  });

  it("count a file that fails before its first test as one failure", () => {
    const testResults = [
      { status: "failed", assertionResults: [] },
      { status: "passed", assertionResults: [{}] },
    ];
    expect(closingLines([], { ...report, numFailedTests: 0, testResults }, false)).toMatchObject({ failed: 1 });
  });
});
