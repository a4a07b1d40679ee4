import { z } from "zod";
import { isObject } from "../../../harness/json.ts";

type Fits = (value: unknown, depth: number) => boolean;
type Node = Readonly<Record<string, unknown>>;

/** Deeper values are left to zod: this is a walk on the stack. */
const maxDepth = 200;

/**
 * A fast half of a schema's check, for values that `JSON.parse` made: what it says fits does fit, and what it does not say so of is to be asked of zod, which
 * then also says why. It makes no copy of what it checks, as zod does: that is most of its time. `undefined` for a schema with a keyword that is not known here. Not for schemas
 * with refinements, which JSON Schema leaves out without a word.
 */
export function fitsSchema(schema: z.ZodType): ((value: unknown) => boolean) | undefined {
  const root = z.toJSONSchema(schema, { io: "input" }) as Node; // JSON Schema, looked at keyword by keyword
  const named = new Map<string, Fits>();
  const fits = compile(root);
  return fits && ((value) => fits(value, 0));

  function compile(node: unknown): Fits | undefined {
    if (!isObject(node)) return undefined;
    const { $schema: _, $defs: __, description: ___, ...rest } = node as Node;
    const keywords = Object.keys(rest).toSorted().join(" ");
    const { type, $ref: reference } = rest;
    if (keywords === "") return () => true;
    if (keywords === "$ref" && typeof reference === "string") return refer(reference);
    if (keywords === "anyOf" || keywords === "oneOf") return either(rest[keywords]);
    if (Array.isArray(type)) return keywords === "type" ? either(type.map((one: unknown) => ({ type: one }))) : undefined;
    if (type === "string") return text(rest, keywords);
    if (type === "array" && keywords === "items type") return items(rest["items"]);
    if (type === "object") return members(rest, keywords);
    if (type === "integer" && keywords === "maximum minimum type" && rest["maximum"] === Number.MAX_SAFE_INTEGER)
      return rest["minimum"] === Number.MIN_SAFE_INTEGER ? Number.isSafeInteger : undefined;
    if (keywords !== "type") return undefined;
    if (type === "number") return Number.isFinite;
    if (type === "boolean") return (value) => typeof value === "boolean";
    return type === "null" ? (value) => value === null : undefined;
  }

  /** One that names itself is known before it is compiled. */
  function refer(reference: string): Fits | undefined {
    const [, name = ""] = /^#\/\$defs\/(\w+)$/.exec(reference) ?? [];
    if (!named.has(name)) {
      named.set(name, (value, depth) => depth < maxDepth && named.get(name)?.(value, depth) === true);
      const compiled = compile((root["$defs"] as Node | undefined)?.[name]);
      if (!compiled) return undefined;
      named.set(name, compiled);
    }
    return (value, depth) => depth < maxDepth && named.get(name)?.(value, depth + 1) === true;
  }

  function either(nodes: unknown): Fits | undefined {
    const all = Array.isArray(nodes) ? nodes.map(compile) : [];
    return all.every((one) => one !== undefined) ? (value, depth) => all.some((one) => one(value, depth)) : undefined;
  }

  function items(node: unknown): Fits | undefined {
    const item = compile(node);
    return item && ((value, depth) => Array.isArray(value) && value.every((one) => item(one, depth)));
  }

  function members(node: Node, keywords: string): Fits | undefined {
    const others = compile(node["additionalProperties"]);
    if (!others) return undefined;
    if (keywords === "additionalProperties propertyNames type" && isText(node["propertyNames"]))
      return (value, depth) => isObject(value) && Object.values(value).every((one) => others(one, depth));
    if (keywords !== "additionalProperties properties required type" && keywords !== "additionalProperties properties type")
      return undefined;
    if (Object.keys(node["additionalProperties"] as Node).length > 0) return undefined;
    const required = new Set((node["required"] as readonly string[] | undefined) ?? []);
    const checks: (readonly [key: string, required: boolean, fits: Fits])[] = [];
    for (const [key, child] of Object.entries(node["properties"] as Node)) {
      const fitting = compile(child);
      if (!fitting) return undefined;
      checks.push([key, required.has(key), fitting]);
    }
    return (value, depth) =>
      isObject(value) &&
      checks.every(([key, needed, fitting]) => {
        const one = value[key];
        return one === undefined ? !needed : fitting(one, depth);
      });
  }
}

const isText = (node: unknown): boolean => isObject(node) && Object.keys(node).join() === "type" && node["type"] === "string";

function text({ const: only, enum: several, pattern }: Node, keywords: string): Fits | undefined {
  if (keywords === "type") return (value) => typeof value === "string";
  if (keywords === "const type") return (value) => value === only;
  if (keywords === "enum type" && Array.isArray(several)) return (value) => several.includes(value);
  if (keywords !== "pattern type" || typeof pattern !== "string") return undefined;
  const expression = new RegExp(pattern);
  return (value) => typeof value === "string" && expression.test(value);
}
