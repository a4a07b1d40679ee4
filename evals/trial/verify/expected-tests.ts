import { plural } from "../../../harness/text/figures.ts";
import { z } from "zod";
import type { Task } from "../../../tasks/task.ts";
import type { RewardReading, VerifierFile } from "./read-rewards.ts";

/** CTRF (https://ctrf.io): what is needed of it. */
const report = z.looseObject({
  results: z.looseObject({
    summary: z.looseObject({ tests: z.number().optional() }).optional(),
    tests: z.array(z.looseObject({ name: z.string(), status: z.string() })),
  }),
});

/** A report is some hundred bytes a test. */
export const maxReportBytes = 4 * 1024 * 1024;

/**
 * Holds a passing reward to the list of tests: where the task names its tests (`[metadata.forge] tests`), or the verifier writes CTRF to
 * `/logs/verifier/ctrf.json`, every one must be there and passed; one that was skipped has not passed. A test runner's own exit code says less: it is
 * 0 where all tests were skipped. The score is then 0, and the rewards stay as they were written.
 */
export function holdToTests(task: Task, reading: RewardReading, ctrf: VerifierFile): RewardReading {
  const expected = task.forge?.tests ?? [];
  if (reading.type !== "rewards" || reading.score < 1 || (expected.length === 0 && !ctrf)) return reading;
  const lack = ctrf ? lackOf(expected, ctrf) : "the verifier wrote no /logs/verifier/ctrf.json, though the task names its tests";
  return lack === undefined ? reading : { ...reading, score: 0, why: `The reward is not taken: ${lack}.` };
}

function lackOf(expected: readonly string[], bytes: NonNullable<VerifierFile>): string | undefined {
  if ("unread" in bytes) return `ctrf.json ${bytes.unread}`;
  const read = report.safeParse(parsed(bytes));
  if (!read.success) return "ctrf.json is no CTRF report";
  const { tests, summary } = read.data.results;
  const names = new Set(tests.map(({ name }) => name));
  const missing = expected.filter((name) => !names.has(name));
  if (missing.length > 0) return `${missing.length} of ${expected.length} expected tests did not run: ${some(missing)}`;
  const notPassed = tests.filter(({ status }) => status !== "passed");
  if (notPassed.length > 0) return `${some(notPassed.map(({ name, status }) => `${name} (${status})`))} did not pass`;
  if (tests.length === 0) return "ctrf.json lists no test";
  if (summary?.tests !== undefined && summary.tests !== tests.length)
    return `ctrf.json counts ${plural(summary.tests, "test")} and lists ${tests.length}`;
  return undefined;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return bytes.length > maxReportBytes ? undefined : JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

const some = (names: readonly string[]): string =>
  names
    .slice(0, 3)
    .map((name) => JSON.stringify(name.slice(0, 120)))
    .join(", ") + (names.length > 3 ? ", …" : "");
