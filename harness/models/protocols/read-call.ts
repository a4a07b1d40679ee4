import { isObject, type Json, type JsonObject } from "../../json.ts";
import { unusable } from "./text-prompts.ts";

/**
 * A call out of JSON text: `{"tool" | "name": …, "args" | "arguments" | "parameters" | "input": {…}}`, or the tool's name and its arguments
 * side by side; of a list, the first. undefined where it is no call at all: without `surely` that is also any JSON, whole or broken,
 * that does not name a tool in the way of a call.
 */
export function readCall(
  json: string,
  o: { tools: readonly string[]; surely: boolean; cutOff: boolean },
): { readonly name: string; readonly args: JsonObject; readonly error?: string } | undefined {
  let value: Json;
  try {
    value = JSON.parse(json) as Json; // whatever it gives
  } catch (error) {
    const named = /"(?:tool|name)"\s*:\s*"([^"\\\n]*)"/.exec(json)?.[1];
    if (!o.surely && (named === undefined || !o.tools.includes(named))) return undefined;
    const why = error instanceof Error ? error.message : String(error);
    return { name: named ?? "", args: {}, error: o.cutOff ? unusable.cutOff : unusable.badJson(why) };
  }
  const call = Array.isArray(value) ? value[0] : value;
  if (!isObject(call)) return undefined;
  // OpenAI's own form has both one level down.
  const flat = isObject(call["function"]) ? call["function"] : call;
  const name = [flat["tool"], flat["name"]].find((candidate) => typeof candidate === "string");
  if (typeof name !== "string" || name === "") return undefined;
  const key = ["args", "arguments", "parameters", "input"].find((candidate) => Object.hasOwn(flat, candidate));
  if (!o.surely && key === undefined && !o.tools.includes(name)) return undefined;
  if (key === undefined) {
    const { tool: _tool, name: _name, ...args } = flat;
    return { name, args };
  }
  const args = argsOf(flat[key]);
  return args === undefined ? { name, args: {}, error: unusable.badJson(`${key} must be an object`) } : { name, args };
}

/** Arguments may come as JSON in a string; nothing at all is no arguments. */
function argsOf(value: Json | undefined): JsonObject | undefined {
  if (value === null || value === "") return {};
  if (typeof value !== "string") return isObject(value) ? value : undefined;
  try {
    const inner = JSON.parse(value) as Json; // as above
    return isObject(inner) ? inner : undefined;
  } catch {
    return undefined;
  }
}
