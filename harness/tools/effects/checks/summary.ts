import type { SummaryKind } from "./runners.ts";

/**
 * What a runner's own last words say: passed, failed, that nothing was run (`empty`), or nothing clear (undefined). Used where the exit code
 * of the command line is not the runner's, and to see that a runner that ended well did run something.
 */
export type Verdict = "passed" | "failed" | "empty" | undefined;

export function readSummary(kind: SummaryKind | undefined, output: string): Verdict {
  return kind === undefined ? undefined : readers[kind](output);
}

const last = (output: string, pattern: RegExp): RegExpMatchArray | undefined => Array.from(output.matchAll(pattern)).at(-1);
const either = (failed: boolean, passed: boolean): Verdict => (failed ? "failed" : passed ? "passed" : undefined);

const readers: Readonly<Record<SummaryKind, (output: string) => Verdict>> = {
  pytest(output) {
    const line = last(output, /^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+|no tests ran) in [\d.]+s.*$/gm)?.[1];
    if (line === undefined) return undefined;
    if (line === "no tests ran") return "empty";
    return either(/\b(?:failed|errors?)\b/.test(line), /\bpassed\b/.test(line)) ?? "empty";
  },
  unittest(output) {
    const ran = last(output, /^Ran (\d+) tests? in /gm)?.[1];
    if (ran === undefined) return readers.pytest(output);
    const end = last(output, /^(OK|FAILED|NO TESTS RAN)\b/gm)?.[1];
    return end === "FAILED" ? "failed" : ran === "0" ? "empty" : end === "OK" ? "passed" : undefined;
  },
  tap(output) {
    const pass = last(output, /^(?:#|ℹ) pass (\d+)/gm)?.[1];
    const fail = last(output, /^(?:#|ℹ) fail (\d+)/gm)?.[1];
    if (fail === undefined) return /^not ok\b/m.test(output) ? "failed" : undefined;
    return fail !== "0" ? "failed" : pass === undefined ? undefined : pass === "0" ? "empty" : "passed";
  },
  /** jest, vitest, and whatever else a package's test script starts. */
  jest(output) {
    const line = last(output, /^ *Tests:? +(.*)$/gm)?.[1];
    if (line === undefined) return readers.tap(output) ?? readers.mocha(output) ?? readers.lint(output);
    return either(/\bfailed\b/.test(line), /\bpassed\b/.test(line));
  },
  mocha(output) {
    return either(/^ *\d+ failing\b/m.test(output), /^ *\d+ passing\b/m.test(output));
  },
  go(output) {
    return either(/^(?:FAIL|--- FAIL|panic:)/m.test(output), /^ok\s+\S+/m.test(output));
  },
  cargo(output) {
    return either(/^test result: FAILED|^error(?:\[E\d+\])?:/m.test(output), /^test result: ok/m.test(output));
  },
  ctest(output) {
    const line = last(output, /^(\d+)% tests passed, (\d+) tests? failed/gm);
    return line === undefined ? undefined : either(line[2] !== "0", line[1] === "100");
  },
  maven(output) {
    return either(/^(?:\[\w+\] )?BUILD FAILURE/m.test(output), /^(?:\[\w+\] )?BUILD SUCCESS/m.test(output));
  },
  gradle(output) {
    return either(/^BUILD FAILED/m.test(output), /^BUILD SUCCESSFUL/m.test(output));
  },
  lint(output) {
    const failed = /^Found [1-9]\d* errors?\b|\berror TS\d+:|^[1-9]\d* errors?, /m.test(output);
    return either(failed, /^Success: no issues found|^All checks passed!|^Found 0 errors|^0 errors, /m.test(output));
  },
};
