import { readCall } from "./read-call.ts";
import { unusable } from "./text-prompts.ts";

/** A call in a reply's text: where it stands, and what it says. `null` stands for a block that says DONE. */
export interface FoundCall {
  readonly start: number;
  readonly end: number;
  readonly call: NonNullable<ReturnType<typeof readCall>> | null;
}

/**
 * The call after the first `<|tool_call|>` at or after `from` and before `before`. It ends with its JSON, or where that is broken with
 * `<|/tool_call|>`, the next marker, or the text. A marker that is only spoken of has a quote before it or no brace behind it.
 */
export function markedCall(
  text: string,
  from: number,
  o: { before: number; tools: readonly string[]; cutOff: boolean },
): FoundCall | undefined {
  const marker = /(^|[^`'"\w])<\s*\|\s*tool_call\s*\|\s*>\s*(?:`{3,}\s*(?:json\s*)?)?(?=[{[])/g;
  marker.lastIndex = Math.max(0, from - 1);
  const match = marker.exec(text);
  if (match === null) return undefined;
  const start = match.index + (match[1] ?? "").length;
  if (start < from || start >= o.before) return undefined;
  const body = match.index + match[0].length;
  const length = jsonLength(text, body);
  const ending = /<\s*\|\s*(?:\/\s*tool_call|tool_result|tool_call)\s*\|\s*>/g;
  ending.lastIndex = body + (length ?? 0);
  const next = ending.exec(text);
  const bodyEnd = length === undefined ? (next?.index ?? text.length) : body + length;
  const closes = next !== null && next[0].includes("/") && /^[\s`]*$/.test(text.slice(bodyEnd, next.index));
  const cutOff = o.cutOff && length === undefined && next === null;
  const call = readCall(text.slice(body, bodyEnd).trim(), { tools: o.tools, surely: true, cutOff });
  return {
    start,
    end: closes ? next.index + next[0].length : bodyEnd,
    call: call ?? { name: "", args: {}, error: unusable.badJson("it names no tool") },
  };
}

/** Length of the JSON object or array that starts at `from`; undefined where it never ends. Braces in strings do not count. */
function jsonLength(text: string, from: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let i = from; i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char === "\\") i++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return i + 1 - from;
  }
  return undefined;
}
