import type { SummaryKind } from "./runners.ts";

/**
 * What a runner's own last words say: passed, failed, that nothing was run (`empty`), or nothing clear (undefined). Used where the exit code
 * of the command line is not the runner's, and to see that a runner that ended well did run something.
 */
export type Verdict = "passed" | "failed" | "empty" | undefined;

export function readSummary(kind: SummaryKind | undefined, output: string): Verdict {
  return kind === undefined ? undefined : readers[kind](output);
}

const all = (output: string, pattern: RegExp): string[] => Array.from(output.matchAll(pattern), (match) => match[1] ?? match[0]);
const either = (failed: boolean, passed: boolean): Verdict => (failed ? "failed" : passed ? "passed" : undefined);
/** Over several summaries: one that failed is enough, and of the others one that passed. */
const together = (verdicts: readonly Verdict[]): Verdict =>
  either(verdicts.includes("failed"), verdicts.includes("passed")) ?? (verdicts.includes("empty") ? "empty" : undefined);
const counts = (line: string, what: string): boolean => new RegExp(String.raw`\b[1-9]\d* ${what}\b`).test(line);

const readers: Readonly<Record<SummaryKind, (output: string) => Verdict>> = {
  pytest(output) {
    const lines = all(output, /^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+|no tests ran) in [\d.]+s.*$/gm);
    return together(
      lines.map((line) => {
        if (line === "no tests ran") return "empty";
        return either(counts(line, "(?:failed|errors?)"), counts(line, "passed")) ?? "empty";
      }),
    );
  },
  unittest(output) {
    const ran = all(output, /^Ran (\d+) tests? in /gm);
    if (ran.length === 0) return readers.pytest(output);
    const ends = all(output, /^(OK|FAILED|NO TESTS RAN)\b/gm);
    return ends.includes("FAILED")
      ? "failed"
      : ran.every((number) => number === "0")
        ? "empty"
        : ends.includes("OK")
          ? "passed"
          : undefined;
  },
  tap(output) {
    const pass = all(output, /^(?:#|ℹ) pass (\d+)/gm);
    const fail = all(output, /^(?:#|ℹ) fail (\d+)/gm);
    if (fail.length === 0) return /^not ok (?!.*# (?:TODO|SKIP))/im.test(output) ? "failed" : undefined;
    if (fail.some((number) => number !== "0")) return "failed";
    return pass.length === 0 ? undefined : pass.every((number) => number === "0") ? "empty" : "passed";
  },
  /** jest, vitest, and whatever else a package's script starts. */
  jest(output) {
    const lines = all(output, /^ *(?:Tests|Test Files|Test Suites):? +(.*)$/gm);
    const read = together(lines.map((line) => either(counts(line, "failed"), counts(line, "passed"))));
    if (read === undefined && /^.*\bNo tests? (?:files )?found\b/m.test(output)) return "empty";
    if (read === "failed" || testFailed.test(output) || scriptFailed.test(output)) return "failed";
    return read ?? readers.tap(output) ?? readers.mocha(output) ?? readers.lint(output);
  },
  mocha(output) {
    return either(/^ *[1-9]\d* failing\b/m.test(output), /^ *\d+ passing\b/m.test(output));
  },
  go(output) {
    return either(/^(?:FAIL\b|--- FAIL|panic:)/m.test(output), /^ok\s+\S+/m.test(output));
  },
  cargo(output) {
    const failed = /^test result: FAILED|^error(?:\[E\d+\])?:/m.test(output);
    const tests = /^running \d+ tests?$/m.test(output);
    return either(failed, tests ? /^test result: ok/m.test(output) : /^test result: ok|^ *Finished `/m.test(output));
  },
  ctest(output) {
    const lines = all(output, /^(\d+% tests passed, \d+ tests? failed)/gm);
    return together(lines.map((line) => either(counts(line, "tests? failed"), line.startsWith("100%"))));
  },
  maven(output) {
    return either(/^(?:\[\w+\] )?BUILD FAILURE/m.test(output), /^(?:\[\w+\] )?BUILD SUCCESS/m.test(output));
  },
  gradle(output) {
    return either(/^BUILD FAILED/m.test(output), /^BUILD SUCCESSFUL/m.test(output));
  },
  lint(output) {
    const failed = /^Found [1-9]\d* errors?\b|\berror TS\d+:|^[1-9]\d* errors?, |^✖ \d+ problems? \([1-9]\d* errors?/m.test(output);
    const passed = /^Success: no issues found|^All checks passed!|^Found 0 errors|^0 errors, |^✖ \d+ problems? \(0 errors/m.test(output);
    return either(failed, passed);
  },
  /** make, ninja, and the compilers that they start. Only of a failure do they always tell. */
  make(output) {
    const failed =
      /^\S*make(?:\[\d+\])?: \*\*\* .*\bError \d+|^ninja: build stopped|^FAILED: |^\S+:\d+(?::\d+)?: (?:fatal )?error: |\bld returned [1-9]\d* exit status/m;
    return either(
      failed.test(output),
      /^\S*make(?:\[\d+\])?: (?:Nothing to be done for |.* is up to date\.)|^ninja: no work to do/m.test(output),
    );
  },
};

/** A file or test that failed, as jest and vitest print it, and how bundlers and turbo end. */
const testFailed =
  /^ *FAIL +\S|^[^\w\n]*Failed (?:Tests|Suites) [1-9]|^[ \t]*(?:ERROR[ \t]+run failed: command|Build failed with [1-9]\d* error)/m;
/** A package manager's own word on the script that it ran. */
const scriptFailed =
  /^[ \t]*(?:ELIFECYCLE[ \t]+Command failed|npm (?:ERR!|error) (?:Lifecycle script|code ELIFECYCLE)|error Command failed with exit code [1-9])/m;
