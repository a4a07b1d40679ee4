import type { ParserName } from "../../verification.ts";
import { parsePytest } from "./parse-pytest.ts";

/** What a test script's output says: each test by name, and whether all passed. `unreadable`: a sentence, where the output is not what the parser reads. */
export type TestReading =
  | { readonly type: "read"; readonly tests: Readonly<Record<string, boolean>>; readonly passed: boolean }
  | { readonly type: "unreadable"; readonly why: string };

/**
 * Reads the output of `run-tests.sh` (standard output and error as a terminal shows them) as Terminal-Bench 1 does. A task passes when every test
 * that was read passed; where the summary lists none, that is true as well.
 */
export function parseOutput(parser: ParserName, output: string, exitCode: number): TestReading {
  if (parser === "exit-code") return readingOf({ "run-tests.sh": exitCode === 0 });
  const text = asShown(output);
  if (parser === "pytest") {
    const tests = parsePytest(text);
    return tests ? readingOf(tests) : { type: "unreadable", why: "The tests printed no short test summary, which pytest's -rA gives." };
  }
  if (parser === "swelancer") return readingOf({ swelancer_task: swelancerPassed(text.toLowerCase()) });
  const title = { swebench: "SWEBench", mlebench: "MLEBench", sweperf: "SWE-Perf" }[parser];
  const block = between(text, `${title} results starts here`, `${title} results ends here`);
  if (block === undefined && parser !== "mlebench")
    return { type: "unreadable", why: `The tests printed no results between "${title} results starts here" and "… ends here".` };
  return readingOf({ tests: (block ?? text).trim() === (parser === "mlebench" ? "ALL TESTS PASSED" : "PASSED") });
}

function readingOf(tests: Readonly<Record<string, boolean>>): TestReading {
  return { type: "read", tests, passed: Object.values(tests).every(Boolean) };
}

/** From the first start to the last end. */
function between(text: string, start: string, end: string): string | undefined {
  const from = text.indexOf(start);
  const to = text.lastIndexOf(end);
  if (from < 0 || to < 0) return undefined;
  return text.slice(from + start.length, Math.max(to, from + start.length));
}

function swelancerPassed(text: string): boolean {
  if (text.includes("swe lancer success")) return true;
  if (text.includes("swe lancer failure")) return false;
  return text.includes("user_tool") && text.includes("completed");
}

/** A terminal shows no colours as text, and of a line written over with carriage returns only the last writing. */
function asShown(output: string): string {
  // eslint-disable-next-line no-control-regex -- control sequences are what is removed
  const plain = output.replace(/\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\-_])/g, "");
  return plain
    .split("\n")
    .map((line) => line.replace(/\r+$/, "").split("\r").at(-1) ?? "")
    .join("\n");
}
