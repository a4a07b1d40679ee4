import { ConfigError } from "../../harness/errors.ts";

const letters: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0 };
const words: Readonly<Record<string, number>> = { yes: 1, true: 1, no: 0, false: 0 };

/**
 * A value that a scorer of Inspect gave, as a number: C 1, P ½, I and N 0, yes and true 1, no and false 0, a number itself; null (Python's NaN) is no score.
 * @throws ConfigError for a list, an object, or another word
 */
export function inspectScore(value: unknown, place: string): number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "number") return value;
  if (typeof value === "string") {
    const known = Object.hasOwn(letters, value) ? letters[value] : words[value.toLowerCase()];
    if (known !== undefined) return known;
    if (value.toLowerCase() === "nan") return null;
    if (value.trim() !== "" && Number.isFinite(Number(value))) return Number(value);
  }
  throw new ConfigError(
    `${place}: the score is ${JSON.stringify(value).slice(0, 80)}, which is no one number; score the log again with a scorer that gives one (inspect score), or write a table of task, arm, repeat and score.`,
  );
}
