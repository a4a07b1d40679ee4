import { isObject, type Json, type JsonObject } from "../../json.ts";
import { readArguments, replyCaps } from "../reply-caps.ts";
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
  const broken = (error: string): ReturnType<typeof readCall> => {
    const named = /"(?:tool|name)"\s*:\s*"([^"\\\n]{0,256})"/.exec(json)?.[1];
    return o.surely || (named !== undefined && o.tools.includes(named)) ? { name: named ?? "", args: {}, error } : undefined;
  };
  if (Buffer.byteLength(json) > 2 * replyCaps.argumentBytes)
    return broken(unusable.tooMuch(`${Buffer.byteLength(json)} bytes are too many`));
  let value: Json;
  try {
    value = JSON.parse(json) as Json; // whatever it gives
  } catch (error) {
    return broken(o.cutOff ? unusable.cutOff : unusable.badJson(error instanceof Error ? error.message : String(error)));
  }
  const call = Array.isArray(value) ? value[0] : value;
  if (!isObject(call)) return undefined;
  // OpenAI's own form has both one level down.
  const flat = isObject(call["function"]) ? call["function"] : call;
  const name = [flat["tool"], flat["name"]].find((candidate) => typeof candidate === "string")?.slice(0, 256);
  if (typeof name !== "string" || name === "") return undefined;
  const key = ["args", "arguments", "parameters", "input"].find((candidate) => Object.hasOwn(flat, candidate));
  if (!o.surely && key === undefined && !o.tools.includes(name)) return undefined;
  if (key === undefined) {
    const { tool: _tool, name: _name, ...args } = flat;
    return withArguments(name, args);
  }
  const given = flat[key];
  if (given === undefined || given === null || given === "") return { name, args: {} };
  return withArguments(name, given, unusable.badJson(`${key} must be an object`));
}

/** Arguments may come as JSON in a string; those beyond the caps are an error, what is none is `otherwise`. */
export function withArguments(name: string, given: Json, otherwise = ""): NonNullable<ReturnType<typeof readCall>> {
  const read = readArguments(given);
  if ("args" in read) return { name, args: read.args };
  return { name, args: {}, error: read.kind === "cap" ? unusable.tooMuch(`its arguments ${read.why}`) : otherwise };
}
