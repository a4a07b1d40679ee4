import pc from "picocolors";
import type { Check } from "../../evals/archive/check/findings.ts";
import type { Verification } from "../../evals/archive/verify-archive.ts";
import { oneLine } from "../../harness/text/printable.ts";

const marks: Readonly<Record<Check["state"], string>> = { holds: pc.green("✓"), fails: pc.red("✗"), unchecked: "–" };

/** A line for each thing that was looked at, and the verdict in one sentence. */
export function describeVerification(verification: Verification): string {
  const width = Math.max(...verification.checks.map(({ name }) => name.length));
  const lines = verification.checks.flatMap(({ name, state, says, more = [] }) => [
    `${marks[state]} ${name.padEnd(width)}  ${state === "unchecked" ? "not checked: " : ""}${clause(says)}`,
    ...more.map((one) => `  ${" ".repeat(width)}  ${clause(one)}`),
  ]);
  return [...lines, verdictOf(verification)].join("\n");
}

function verdictOf({ archive, ok, checks }: Verification): string {
  const name = oneLine(archive);
  const failed = checks.filter(({ state }) => state === "fails").map((check) => check.name);
  if (!ok) return `${name} does not hold: see ${[...new Set(failed)].join(", ")}.`;
  const unchecked = [...new Set(checks.filter(({ state }) => state === "unchecked").map((check) => check.name))];
  return unchecked.length === 0
    ? `${name} holds, and nothing was left unchecked.`
    : `${name} holds in everything that was checked; not checked: ${unchecked.join(", ")}.`;
}

const clause = (says: string): string => oneLine(says).replace(/\.$/, "");
