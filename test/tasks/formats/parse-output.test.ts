import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../../tasks/formats/terminal-bench/parse-output.ts";
import { parserNames } from "../../../tasks/verification.ts";

const summary = "=========================== short test summary info ============================";

describe("the pytest parser", () => {
  it("reads each line below the summary; skipped and expected failures count as passed", () => {
    const output = `FAILED not/yet.py::test_above
${summary}
PASSED ../tests/test_outputs.py::test_a
PASSED ../tests/test_outputs.py::test_b[x - y]
XFAIL ../tests/test_outputs.py::TestIt::test_c
SKIPPED [1] ../tests/test_outputs.py:12: no network
========================= 3 passed, 1 skipped in 0.02s =========================
`;
    expect(parseOutput("pytest", output, 1)).toEqual({
      type: "read",
      passed: true,
      tests: { test_a: true, "test_b[x - y]": true, "TestIt::test_c": true, "[1] ../tests/test_outputs.py:12: no network": true },
    });
  });

  it.each(["FAILED", "ERROR", "XPASS"])("fails a task with a line %s, whatever the exit code", (status) => {
    const output = `${summary}\nPASSED a.py::one\n${status} a.py::two - AssertionError: 1 - 2\n`;
    const reading = parseOutput("pytest", output, 0);
    expect(reading).toMatchObject({ type: "read", passed: false });
    if (status === "FAILED") expect(reading).toMatchObject({ tests: { one: true, "two - AssertionError: 1": false } });
  });

  it("takes the last word about a test, and text as a terminal shows it", () => {
    const output = `\u001B[36m\u001B[1m${summary}\u001B[0m\r\n\u001B[32mPASSED\u001B[0m a.py::\u001B[1mone\u001B[0m\r\nworking…\rFAILED a.py::one\r\n`;
    expect(parseOutput("pytest", output, 0)).toEqual({ type: "read", passed: false, tests: { one: false } });
  });

  it("passes a summary without a test, as the format's own runner does, and cannot read output without a summary", () => {
    expect(parseOutput("pytest", `${summary}\n`, 1)).toEqual({ type: "read", passed: true, tests: {} });
    expect(parseOutput("pytest", "1 passed in 0.01s\n", 0).type).toBe("unreadable");
    expect(parseOutput("pytest", "", 0).type).toBe("unreadable");
  });

  it("keeps a name that objects have of their own", () => {
    const reading = parseOutput("pytest", `${summary}\nFAILED a.py::__proto__\nPASSED a.py::constructor\n`, 0);
    expect(reading).toMatchObject({ type: "read", passed: false });
    expect(reading.type === "read" && Object.keys(reading.tests)).toEqual(["__proto__", "constructor"]);
  });
});

describe("the other parsers", () => {
  it.each([
    ["swebench", "SWEBench results starts here\nPASSED\nSWEBench results ends here", true],
    ["swebench", "SWEBench results starts here\nFAILED\nSWEBench results ends here", false],
    ["sweperf", "SWE-Perf results starts here\nPASSED\nSWE-Perf results ends here", true],
    ["mlebench", "MLEBench results starts here\nALL TESTS PASSED\nMLEBench results ends here", true],
    ["mlebench", "nothing", false],
    ["swelancer", "… SWE Lancer SUCCESS", true],
    ["swelancer", "swe lancer failure, user_tool completed", false],
    ["swelancer", "user_tool completed", true],
    ["swelancer", "", false],
  ] as const)("%s of %j: %j", (parser, output, passed) => {
    expect(parseOutput(parser, output, 1)).toMatchObject({ type: "read", passed });
  });

  it("cannot read results without their marks", () => {
    expect(parseOutput("swebench", "PASSED", 0).type).toBe("unreadable");
    expect(parseOutput("sweperf", "SWE-Perf results starts here\nPASSED", 0).type).toBe("unreadable");
  });

  it("exit-code looks at the exit code alone", () => {
    expect(parseOutput("exit-code", `${summary}\nFAILED a.py::one`, 0)).toMatchObject({ passed: true });
    expect(parseOutput("exit-code", "", 1)).toMatchObject({ passed: false });
  });
});

it("every parser answers every output, and passes none with a failed test", () => {
  const line = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      summary,
      "PASSED a::b",
      "FAILED a::b - c",
      "SWEBench results starts here",
      "MLEBench results ends here",
      "\u001B[",
      "\r",
    ),
  );
  const law = fc.property(fc.constantFrom(...parserNames), fc.array(line), fc.nat(255), (parser, lines, exitCode) => {
    const reading = parseOutput(parser, lines.join("\n"), exitCode);
    return reading.type === "unreadable" || reading.passed === !Object.values(reading.tests).includes(false);
  });
  fc.assert(law);
});
