import { z } from "zod";
import { didYouMean } from "../../text/did-you-mean.ts";

/** Where in a value something is wrong, and one clause about it. `onKey`: the key itself is wrong, not its value. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly clause: string;
  readonly onKey: boolean;
}

/**
 * What is wrong with `value`, as a person says it: `expected a whole number ≥ 1, got "five"`. All problems; none where the value fits. What
 * was expected is read off the schema, so that every schema gets these messages, a user's own too.
 */
export function describeIssues(schema: z.ZodType, value: unknown): Issue[] {
  const parsed = schema.safeParse(value);
  if (parsed.success) return [];
  const root = toNode(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  return parsed.error.issues.flatMap((issue) => describe(innermost(issue), root, value));
}

/** The first of them. */
export const describeIssue = (schema: z.ZodType, value: unknown): Issue | undefined => describeIssues(schema, value)[0];

function describe(issue: z.core.$ZodIssue, root: Node, value: unknown): Issue[] {
  const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      path: [...path, key],
      clause: `unknown key, ${didYouMean(key, keysAt(root, path), "the keys here are")}`,
      onKey: true,
    }));
  const got = valueAt(value, path);
  const clause =
    issue.code === "custom" || issue.code === "invalid_key" || issue.code === "not_multiple_of"
      ? `${issue.message}, got ${show(got)}`
      : `expected ${expectedAt(root, path) ?? issue.message}, got ${show(got)}`;
  return [{ path, clause, onKey: false }];
}

/** In a union, the branch that was meant: the one whose own kind fits, so that its problem lies deeper. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const meant = issue.errors.filter((branch) => branch.length > 0 && !branch.some((e) => e.path.length === 0 && e.code === "invalid_type"));
  const first = meant.length === 1 ? meant[0]?.[0] : undefined;
  const inner = first && innermost(first);
  return inner ? { ...inner, path: [...issue.path, ...inner.path] } : issue;
}

interface Node {
  readonly [key: string]: unknown;
}
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);
const toNode = (value: unknown): Node => (isNode(value) ? value : {});
const branches = (node: Node): Node[] =>
  Array.isArray(node["anyOf"])
    ? node["anyOf"].filter(isNode).flatMap(branches)
    : Array.isArray(node["oneOf"])
      ? node["oneOf"].filter(isNode).flatMap(branches)
      : Array.isArray(node["type"])
        ? node["type"].map((type) => ({ ...node, type }))
        : [node];

function nodesAt(root: Node, path: readonly (string | number)[]): Node[] {
  return path.reduce<Node[]>((nodes, key) => nodes.flatMap((node) => children(node, key)), branches(root));
}
function children(node: Node, key: string | number): Node[] {
  const child = typeof key === "number" ? node["items"] : (toNode(node["properties"])[key] ?? node["additionalProperties"]);
  return isNode(child) ? branches(child) : [];
}
const keysAt = (root: Node, path: readonly (string | number)[]): string[] => [
  ...new Set(nodesAt(root, path).flatMap((node) => Object.keys(toNode(node["properties"])))),
];
function expectedAt(root: Node, path: readonly (string | number)[]): string | undefined {
  const words = [...new Set(nodesAt(root, path).map(expectation))].filter((word) => word !== "");
  return words.length > 0 ? words.join(" or ") : undefined;
}

function expectation(node: Node): string {
  if (Array.isArray(node["enum"])) return `one of ${node["enum"].map(String).join(", ")}`;
  if (node["const"] !== undefined) return show(node["const"]);
  switch (node["type"]) {
    case "integer":
      return `a whole number${bounds(node)}`;
    case "number":
      return `a number${bounds(node)}`;
    case "string":
      return node["format"] === "uri"
        ? "a URL"
        : typeof node["pattern"] === "string"
          ? `a string that matches ${node["pattern"]}`
          : node["minLength"]
            ? "a string that is not empty"
            : "a string";
    case "boolean":
      return "true or false";
    case "array":
      return "a list";
    case "object":
      return "a mapping of keys to values";
    case "null":
      return "null";
    default:
      return "";
  }
}

/** ` ≥ 1`, ` from 0 to 2`, …; the bounds of safe integers are not worth saying. */
function bounds(node: Node): string {
  const number = (key: string): number | undefined => {
    const value = node[key];
    return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
  };
  const [min, max, above, below] = [number("minimum"), number("maximum"), number("exclusiveMinimum"), number("exclusiveMaximum")];
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  const said = [
    min !== undefined && `≥ ${min}`,
    above !== undefined && `> ${above}`,
    max !== undefined && `≤ ${max}`,
    below !== undefined && `< ${below}`,
  ];
  const words = said.filter((word) => word !== false);
  return words.length > 0 ? ` ${words.join(" and ")}` : "";
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((part, key) => (Array.isArray(part) ? part[Number(key)] : isNode(part) ? part[key] : undefined), value);
}
function show(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** `middleware[2].fileSoft`. */
export function keyPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, key) => (typeof key === "number" ? `${text}[${key}]` : text ? `${text}.${key}` : key), "");
}
