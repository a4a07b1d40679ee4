import type { z } from "zod";
import { BadRequest, type Wrong } from "./wire.ts";

/** The first key of a body that is wrong. `missing`: it is not there; `empty`: it is a list without entries. */
export interface WrongKey {
  readonly path: readonly (string | number)[];
  readonly how: "missing" | "empty" | "type" | "value";
  /** The type that was expected, in JSON's words; undefined where it is not the type that is wrong. */
  readonly expected: string | undefined;
  /** The type that came. */
  readonly came: string;
}

/** A body by its schema. Throws `BadRequest` with the first key that is wrong, in the provider's words. */
export function readBody<T extends z.ZodType>(
  schema: T,
  body: unknown,
  words: (wrong: WrongKey) => Omit<Wrong & { readonly type: "invalid" }, "type">,
): z.infer<T> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const issue = deepest(read.error.issues[0]);
  const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  const value = path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | null | undefined)?.[key], body); // as far as it goes
  const came = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const expected = issue.code === "invalid_type" ? typeName(issue.expected) : undefined;
  const how =
    value === undefined ? "missing" : issue.code === "too_small" && issue.origin === "array" ? "empty" : expected ? "type" : "value";
  throw new BadRequest({ type: "invalid", ...words({ path, how, expected, came }) });
}

/** No number of these bodies has a fraction. */
const typeName = (zods: string): string => (zods === "int" || zods === "number" ? "integer" : zods);

type Issue = z.core.$ZodIssue;

/** Of several shapes that were allowed and none of which fits: what is wrong by the first that comes furthest. */
function deepest(issue: Issue | undefined): Issue {
  if (!issue) return { code: "custom", path: [], message: "", input: undefined };
  if (issue.code !== "invalid_union") return issue;
  const inner = issue.errors.flatMap(([first]) => (first ? [first] : []));
  const furthest = inner.toSorted((a, b) => b.path.length - a.path.length)[0];
  return furthest && furthest.path.length > 0 ? deepest({ ...furthest, path: [...issue.path, ...furthest.path] }) : issue;
}
