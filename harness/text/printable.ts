/** What needs no change: nearly every text, and looking for what stands in none takes several times as long. */
const plain = /^[\x20-\x7e]*$/;

/**
 * Text of a model, a task, a trace or a builder as a terminal may show it: control and formatting characters (escape sequences, direction marks)
 * become a visible mark; newlines and tabs stay.
 */
export const printable = (text: string): string => (plain.test(text) ? text : text.replaceAll(/[^\P{C}\n\t]/gu, "\uFFFD"));

/** One line, whatever a task, a model or a daemon wrote. */
export const oneLine = (text: string): string =>
  plain.test(text) && !/^ | {2}| $/.test(text) ? text : printable(text.replaceAll(/\s+/g, " ").trim());

/** Plain data with every text in it, keys too, as one line that a terminal may show: for what is laid out from many parts of others. */
export function printableData<T>(value: T): T {
  return walk(value) as T; // the walk keeps the shape and only swaps strings for strings
}

function walk(value: unknown): unknown {
  if (typeof value === "string") return oneLine(value);
  if (Array.isArray(value)) return value.map(walk);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [oneLine(key), walk(item)]));
}
