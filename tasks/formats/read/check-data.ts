import type { z } from "zod";
import { ConfigError } from "../../../harness/errors.ts";
import { shownValue } from "./shown-value.ts";

/** A parsed file and how to find a key in it again. */
export interface PlacedData {
  readonly file: string;
  readonly data: unknown;
  /** Where in the file the data stands; absent: it is the whole of it. */
  readonly prefix?: readonly string[];
  /** The line (from 1) of a key, or of the nearest one above it. */
  readonly lineOf: (path: readonly string[]) => number | undefined;
}

/**
 * Holds data from a task's file to a schema. Unknown keys of strict tables are left out and named once each in `warnings`.
 * Throws `ConfigError` for a value of the wrong kind: file, line, key, what was expected and what stands there.
 */
export function checkData<T extends z.ZodType>(placed: PlacedData, schema: T): { config: z.output<T>; warnings: string[] } {
  const warnings: string[] = [];
  const data = structuredCloneOf(placed);
  for (;;) {
    const read = schema.safeParse(data);
    if (read.success) return { config: read.data, warnings };
    for (const issue of read.error.issues) {
      if (issue.code !== "unrecognized_keys") throw new ConfigError(sentence(issue, data, placed));
      const parent = at(data, issue.path);
      for (const key of issue.keys) {
        warnings.push(
          `${placed.file}: ${shownPath([...(placed.prefix ?? []), ...issue.path, key])} is not a key that Forge knows; it is left out.`,
        );
        if (isTable(parent)) delete parent[key];
      }
    }
  }
}

/** `file:line: key`, as messages begin. */
export function placeOf({ file, lineOf, prefix = [] }: PlacedData, path: readonly PropertyKey[]): string {
  const line = lineOf(path.map(String));
  return `${file}${line === undefined ? "" : `:${line}`}: ${shownPath([...prefix, ...path])}`;
}

/** Keys are hostile too: what is not a plain word is quoted and cut. */
function shownPath(path: readonly PropertyKey[]): string {
  return path.map((part) => (/^[\w.-]{1,80}$/.test(String(part)) ? String(part) : shownValue(String(part)))).join(".") || "the whole file";
}

/** The caller's data stays as it is; what cannot be cloned (a cycle can) is no data. */
function structuredCloneOf({ file, data }: PlacedData): unknown {
  try {
    return structuredClone(data);
  } catch {
    throw new ConfigError(`${file}: a value is of a kind that no task has. Write only text, numbers, true, false, lists and tables.`);
  }
}

function sentence(issue: z.core.$ZodIssue, data: unknown, placed: PlacedData): string {
  const got = at(data, issue.path);
  const missing = got === undefined;
  return missing
    ? `${placeOf(placed, issue.path)}: expected ${expected(issue)}, and there is no such key. Add it.`
    : `${placeOf(placed, issue.path)}: expected ${expected(issue)}, got ${shownValue(got)}. Correct the value, or remove the key.`;
}

const names: Readonly<Record<string, string>> = {
  int: "a whole number",
  array: "a list",
  record: "a table",
  object: "a table",
  boolean: "true or false",
  string: "text",
};

function expected(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return names[issue.expected] ?? `a ${issue.expected}`;
  if (issue.code === "invalid_value") return `one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
  if (issue.code === "too_small") {
    if (issue.origin === "string" || issue.origin === "array")
      return `at least ${issue.minimum} ${issue.origin === "string" ? "letter" : "entry"}`;
    return `${issue.inclusive === true ? "at least" : "more than"} ${issue.minimum}`;
  }
  if (issue.code === "too_big") return `${issue.inclusive === true ? "at most" : "less than"} ${issue.maximum}`;
  if (issue.code === "invalid_union") return issue.message === "Invalid input" ? "text or a number" : issue.message;
  return issue.message;
}

const isTable = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function at(data: unknown, path: readonly PropertyKey[]): unknown {
  let value = data;
  for (const key of path) value = isTable(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined;
  return value;
}
