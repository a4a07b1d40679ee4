import { createHash } from "node:crypto";
import type { Json } from "../../harness/json.ts";
import type { ToolCall, ToolReply } from "../../harness/contract/messages.ts";
import { textOf } from "../../harness/contract/messages.ts";
import { once } from "./once.ts";

/** Equal for calls that ask for the same: name and arguments, whatever the order of keys and the white space around text. */
export const callSignature = once((call: Pick<ToolCall, "name" | "args">) => `${call.name} ${canonical(call.args)}`);

function canonical(value: Json): string {
  if (typeof value === "string") return JSON.stringify(value.trim());
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(",")}}`;
}

/** Equal for answers that say the same: durations, clock times and addresses do not count, other numbers do. */
export const replySignature = once((reply: ToolReply) => {
  const said = `${reply.status} ${withoutNoise(textOf(reply.content))}`;
  return createHash("sha1").update(said).digest("base64");
});

function withoutNoise(text: string): string {
  return text
    .replace(/\b0x[0-9a-f]+\b/gi, "0x")
    .replace(/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?/g, "time")
    .replace(/\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds)\b/g, "duration")
    .trim();
}

/**
 * What went wrong, in the last lines of the answer that name it; undefined for an answer that is no failure or names nothing (a search
 * without a match). Line numbers and times differ between two tries at the same thing, so digits do not count.
 */
export const errorSignature = once((reply: ToolReply): string | undefined => {
  if (!failed(reply)) return undefined;
  const telling = textOf(reply.content)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => namesError.test(line) && !exitLine.test(line))
    .slice(-3);
  if (telling.length === 0) return undefined;
  return telling
    .join(" | ")
    .replace(/0x[0-9a-f]+|\d+(?:\.\d+)?/gi, "#")
    .slice(0, 300);
});

export function failed(reply: ToolReply): boolean {
  return reply.status === "error" || reply.status === "timeout" || reply.effects.check?.passed === false;
}

const namesError = /error|exception|fail|fatal|cannot|not found|no such|permission denied|undefined|panic|refused/i;
/** Says that it failed, not how. */
const exitLine = /^\W*(?:the )?(?:command|process|exit)[^:]{0,40}(?:code|status)\D{0,4}\d+\W*$/i;
