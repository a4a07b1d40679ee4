import { createHash } from "node:crypto";
import type { Json } from "../../harness/json.ts";
import { resultOf, textOf, type ToolCall, type ToolReply } from "../../harness/contract/messages.ts";
import { once } from "./once.ts";
import { withoutNoise, withoutPlaces } from "./run-noise.ts";

/** What makes two calls, answers or errors the same, in one version of `loop-detection`. */
export interface Signatures {
  /** Equal for calls that ask for the same: name and arguments, whatever the order of keys and the white space around text. */
  readonly call: (call: Pick<ToolCall, "name" | "args">) => string;
  /** Equal for answers that say the same. */
  readonly reply: (reply: ToolReply) => string;
  /**
   * What went wrong, in the last lines of the answer that name it; undefined for an answer that is no failure or names nothing (a search
   * without a match).
   */
  readonly error: (reply: ToolReply) => string | undefined;
  readonly failed: (reply: ToolReply) => boolean;
}

/** Durations, clock times and addresses do not count in answers; in errors no digits do. A check that is not known to have passed failed. */
export const firstSignatures: Signatures = signatures({
  command: (text) => text,
  answer: (text) =>
    text
      .replace(/\b0x[0-9a-f]+\b/gi, "0x")
      .replace(/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?/g, "time")
      .replace(/\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds)\b/g, "duration"),
  error: (text) => text.replace(/0x[0-9a-f]+|\d+(?:\.\d+)?/gi, "#"),
  checkFailed: (result) => result !== "passed",
});

/** Nothing counts that differs between two runs of the same tests, nor where an error is in its file: see `run-noise.ts`. */
export const secondSignatures: Signatures = signatures({
  command: withoutPlaces,
  answer: withoutNoise,
  error: (text) => withoutNoise(text).replace(/(\.\w{1,5}[:(])\d+(?:[:,]\d+)*|\b(lines?) \d+(?:-\d+)?/gi, "$1$2#"),
  checkFailed: (result) => result === "failed",
});

function signatures(o: {
  command: (text: string) => string;
  answer: (text: string) => string;
  error: (text: string) => string;
  checkFailed: (result: "passed" | "failed" | "unknown") => boolean;
}): Signatures {
  const failed = (reply: ToolReply): boolean => {
    const { check } = reply.effects;
    return reply.status === "error" || reply.status === "timeout" || (check !== undefined && o.checkFailed(resultOf(check)));
  };
  return {
    failed,
    call: once(({ name, args }) => {
      const { command } = args;
      return `${name} ${canonical(typeof command === "string" ? { ...args, command: o.command(command) } : args)}`;
    }),
    reply: once((reply) => {
      const said = `${reply.status} ${o.answer(textOf(reply.content)).trim()}`;
      return createHash("sha1").update(said).digest("base64");
    }),
    error: once((reply) => {
      if (!failed(reply)) return undefined;
      const telling = textOf(reply.content)
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => namesError.test(line) && !exitLine.test(line))
        .slice(-3);
      return telling.length === 0 ? undefined : o.error(telling.join(" | ")).slice(0, 300);
    }),
  };
}

function canonical(value: Json): string {
  if (typeof value === "string") return JSON.stringify(value.trim());
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(",")}}`;
}

const namesError = /error|exception|fail|fatal|cannot|not found|no such|permission denied|undefined|panic|refused/i;
/** Says that it failed, not how. */
const exitLine = /^\W*(?:the )?(?:command|process|exit)[^:]{0,40}(?:code|status)\D{0,4}\d+\W*$/i;
