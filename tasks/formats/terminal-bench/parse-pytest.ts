const passing = new Set(["PASSED", "XFAIL", "SKIPPED"]);
const failing = new Set(["FAILED", "XPASS", "ERROR"]);

/**
 * The tests below the first "short test summary info" of pytest's output, by the name behind the first `::`; a later line about the same name
 * counts. Passed, expected to fail, and skipped are true, as Terminal-Bench 1 has it. Undefined where there is no summary.
 */
export function parsePytest(output: string): Record<string, boolean> | undefined {
  const title = /=+\s*short test summary info\s*=+/i.exec(output);
  if (!title) return undefined;
  const tests = new Map<string, boolean>();
  for (const line of output.slice(title.index + title[0].length).split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)) {
    const match = /^\s*(\S+)\s+(.*)$/s.exec(withoutReason(line));
    const status = match?.[1]?.replace(/^:+|:+$/g, "") ?? "";
    const path = match?.[2]?.trim() ?? "";
    const name = path.includes("::") ? path.slice(path.indexOf("::") + 2) : path;
    if (name === "" || !(passing.has(status) || failing.has(status))) continue;
    tests.set(name, passing.has(status));
  }
  return Object.fromEntries(tests);
}

/** A failed test's reason stands behind the last " - ". */
function withoutReason(line: string): string {
  return line.startsWith("FAILED") && line.includes(" - ") ? line.slice(0, line.lastIndexOf(" - ")) : line;
}
