import type { Part } from "../contract/messages.ts";
import type { ToolContext } from "../contract/ports.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { cleanText } from "./observe/clean-text.ts";
import { markUntrusted, neutralise } from "./observe/mark-untrusted.ts";
import * as messages from "./observe/replies.ts";
import type { ToolOutcome } from "./tool.ts";

interface ObserverOptions {
  readonly sandbox: Sandbox;
  readonly scratch: () => Promise<string>;
  readonly redact?: (text: string) => string;
  readonly maxChars?: number;
}

/** Turns what a tool answered into what the model sees: cleaned, redacted, marked, capped; the harness's own words stand after it. */
export function createObserver(o: ObserverOptions): (outcome: ToolOutcome, context: ToolContext) => Promise<Part[]> {
  const redact = o.redact ?? ((text: string): string => text);

  /** Each character of a secret becomes one other, so places hold. Once more by itself: what is recorded is looked through without what stood before. */
  const redactAfter = (before: string, text: string): string =>
    before === "" ? redact(text) : redact(redact(before + text).slice(before.length));

  /** The path of the file that holds the whole text, named after the call's lane and so the same in every run; undefined when it cannot be kept. */
  async function spill(text: string, lane: string): Promise<string | undefined> {
    try {
      const path = `${await o.scratch()}/${lane.replace(/[^A-Za-z0-9.]+/g, "-")}.txt`;
      await o.sandbox.writeFile(path, new TextEncoder().encode(text));
      return path;
    } catch {
      return undefined; // a full disk must not cost the model what it can still be shown
    }
  }

  return async (outcome, context) => {
    const own = outcome.note === undefined ? [] : [neutralise(redact(cleanText(outcome.note)))];
    const parts: Part[] = [];
    for (const part of outcome.content) {
      if (part.type !== "text") {
        parts.push(part);
        continue;
      }
      const text = redactAfter(cleanText(outcome.before ?? ""), cleanText(part.text));
      const cut = capText(text, o.maxChars ?? observationChars);
      parts.push({ type: "text", text: markUntrusted(cut?.text ?? text) });
      if (!cut) continue;
      const path = await spill(text, context.lane);
      own.push(path === undefined ? messages.notSpilled(text.length) : messages.spilled(path, text.length));
    }
    const note = own.join("\n");
    const last = parts.at(-1);
    if (note === "") return parts;
    if (last?.type === "text") return [...parts.slice(0, -1), { type: "text", text: `${last.text}\n${note}` }];
    return [...parts, { type: "text", text: note }];
  };
}

/** Characters of one observation that the model sees; the rest stands in a file. */
const observationChars = 30_000;

/** Head and tail of a long text with a line between them that says how much is missing; undefined when it fits. Never splits a surrogate pair. */
export function capText(text: string, maxChars: number): { readonly text: string; readonly dropped: number } | undefined {
  if (text.length <= maxChars) return undefined;
  const half = Math.floor(maxChars / 2);
  const head = text.slice(0, isHigh(text.charCodeAt(half - 1)) ? half - 1 : half);
  const from = text.length - half;
  const tail = text.slice(isLow(text.charCodeAt(from)) ? from + 1 : from);
  const dropped = text.length - head.length - tail.length;
  return { text: `${head}\n[… ${dropped} characters left out …]\n${tail}`, dropped };
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
