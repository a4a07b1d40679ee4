import type { ToolSchema } from "../../contract/messages.ts";
import { isObject, type Json, type JsonObject } from "../../json.ts";
import { fencesIn } from "./fences.ts";

/**
 * Whether a reply in which no call was found holds one all the same: printed in a form that is another model's, or as JSON that cannot be read or names
 * no tool. A shell block is none here: the text protocol takes it as a call, and a native model's answer may show one. What is in inline code is spoken of,
 * not called. With native calls JSON beside other text counts only where it names a tool that is there.
 */
export function holdsPrintedCall(text: string, tools: readonly ToolSchema[], o: { readonly native: boolean }): boolean {
  if (tools.length === 0) return false;
  const names = tools.map(({ name }) => name);
  const whole = text.trim();
  return tagged.test(text) || isPythonCall(whole, names) || looksLikeCall(whole, tools, "alone") || fences(text, tools, o).some(Boolean);
}

/** Markers of calls of the model families, each with the beginning of what it holds, and not behind a quotation mark. */
const tagged = new RegExp(
  String.raw`(?<![\w\x60'"\\])(?:${[
    String.raw`<\s{0,3}\|?\s{0,3}(?:tool_call|tool_use|function_call|tool_code)s?\s{0,3}\|?\s{0,3}>\s{0,8}(?:\x60{3,5}\w{0,9}\s{0,8})?(?:[{[<]|[\w.]{1,64}\s?\()`,
    String.raw`<(?:\w+:)?invoke name="`,
    String.raw`<function=[\w.-]+>`,
    String.raw`\[TOOL_CALLS\]\s{0,8}(?:\[|\w{1,64}\s{0,8}[{[])`,
    String.raw`<\|python_tag\|>\s{0,8}[{\w]`,
    String.raw`<\uff5ctool\u2581calls?\u2581begin\uff5c>`,
    String.raw`<\|channel\|>\w+ to=functions\.`,
  ].join("|")})`,
  "i",
);

/** `bash(command="ls")`, alone or as a list: how some models write a call. */
function isPythonCall(whole: string, names: readonly string[]): boolean {
  const name = /^\[?\s*([\w-]+)\([\s\S]*\)\s*\]?$/.exec(whole)?.[1];
  return name !== undefined && names.includes(name);
}

/** Each is looked for in the whole rest of the text. */
const mostFences = 50;
const callLanguages = new Set(["json", "", "tool_call", "tool_code", "tool_use", "tool", "function_call"]);

function fences(text: string, tools: readonly ToolSchema[], { native }: { readonly native: boolean }): boolean[] {
  const found: boolean[] = [];
  const nextFence = fencesIn(text);
  for (let fence = nextFence(0); fence && found.length < mostFences; fence = nextFence(fence.end)) {
    const content = fence.content.trim();
    const alone = !native || (text.slice(0, fence.start).trim() === "" && text.slice(fence.end).trim() === "");
    const own = callLanguages.has(fence.language) || tools.some(({ name }) => name === fence.language);
    // bash that holds a call in JSON: no command begins so
    const isCall = (own || content.startsWith("{")) && looksLikeCall(content, tools, alone ? "alone" : "beside text");
    found.push(isCall || (fence.language === "tool_code" && content !== ""));
    if (fence.end <= fence.start) break;
  }
  return found;
}

const argumentKeys = ["args", "arguments", "parameters", "input"];
/** In JSON that cannot be parsed: what names a tool, and what holds its arguments. */
const brokenName = /["'](?:tool|name|function)["']\s*:\s*["'{]\s*([\w.:-]*)/;
const brokenArguments = /["'](?:args|arguments|parameters|input|command)["']\s*(?::\s*)?[{"'[]/;

function looksLikeCall(json: string, tools: readonly ToolSchema[], place: "alone" | "beside text"): boolean {
  if (!/^[{[]/.test(json)) return false;
  const known = (name: Json | undefined): boolean => tools.some((tool) => tool.name === name);
  let value: Json;
  try {
    value = JSON.parse(json) as Json; // whatever it gives
  } catch {
    const name = brokenName.exec(json)?.[1];
    return name !== undefined && (known(name) || (place === "alone" && brokenArguments.test(json)));
  }
  const first = Array.isArray(value) ? value[0] : value;
  if (!isObject(first)) return false;
  if (Array.isArray(first["tool_calls"])) return true;
  const call = isObject(first["function"]) ? first["function"] : first;
  const name = [call["tool"], call["name"], call["tool_name"], call["function"]].find((one) => typeof one === "string");
  const hasArguments = argumentKeys.some((key) => Object.hasOwn(call, key));
  if (known(name)) return hasArguments || Object.keys(call).length > 1;
  return place === "alone" && ((hasArguments && (name !== undefined || isArguments(call))) || (known("bash") && isCommand(call)));
}

const isArguments = (call: JsonObject): boolean => argumentKeys.some((key) => isObject(call[key]));

/** A command without the name of its tool. Other tools' arguments, such as a lone path, may as well be data. */
const isCommand = (value: JsonObject): boolean =>
  typeof value["command"] === "string" &&
  Object.keys(value).every((key) => /^(?:command|workdir|cwd|timeout(?:Ms)?|background|description)$/.test(key));
