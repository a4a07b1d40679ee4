import type { JsonObject } from "../../json.ts";
import { type Fence, fencesIn, type NextFence } from "./fences.ts";
import { type FoundCall, markedCall } from "./marked-call.ts";
import { readCall, withArguments } from "./read-call.ts";
import { unusable } from "./text-prompts.ts";

/** What a reply in text says to do. */
export interface TextReply {
  /** The reply, without what the model made up of the call's result. */
  readonly text: string;
  /** undefined: the model is finished. */
  readonly call?: { readonly name: string; readonly args: JsonObject; readonly error?: string };
  /** More calls stood behind the first one. */
  readonly several: boolean;
  /** The reply claims the end although it holds a call. */
  readonly claimsDone: boolean;
}
interface ParseOptions {
  /** The names that exist. */
  readonly tools: readonly string[];
  /** The reply ended at its length, not because the model stopped. */
  readonly cutOff: boolean;
}

/**
 * Reads a model's reply: the first of a fenced bash command, a call as JSON in a fence, or a call after `<|tool_call|>` is the call; a
 * block that says DONE before any is the end. Any text gives an answer; nothing is thrown.
 */
export function parseTextReply(text: string, o: ParseOptions): TextReply {
  const first = findCall(text, 0, { ...o, nextFence: fencesIn(text) });
  if (first === undefined) return { text, several: false, claimsDone: false };
  const kept = text.slice(0, inventedResult(text, first.end));
  if (first.call === null) return { text: kept, several: false, claimsDone: false };
  return {
    text: kept,
    call: first.call,
    several: findCall(kept, first.end, { ...o, cutOff: false, nextFence: fencesIn(kept) })?.call != null,
    claimsDone: [kept.slice(0, first.start), kept.slice(first.end)].some((around) => /^[ \t*`]*DONE[.!*`]*[ \t\r]*$/m.test(around)),
  };
}

/** Blocks that are looked into: each may have to be looked for in the whole rest of the text. */
const mostFences = 200;

function findCall(text: string, from: number, o: ParseOptions & { readonly nextFence: NextFence }): FoundCall | undefined {
  let at = from;
  for (let seen = 0; seen < mostFences; seen++) {
    const fence = o.nextFence(at);
    const marked = markedCall(text, at, { ...o, before: fence?.start ?? text.length });
    if (marked !== undefined) return marked;
    if (fence === undefined) return undefined;
    const call = callOfFence(fence, o);
    if (call !== undefined) return { start: fence.start, end: fence.end, call };
    at = fence.end;
  }
  return undefined;
}

/** The call in a fence, null for one that says DONE, undefined for a block that is none: an example, data, a file shown. */
function callOfFence(fence: Fence, o: ParseOptions): FoundCall["call"] | undefined {
  const content = fence.content.trim();
  if (content === "DONE") return null;
  if (["bash", "sh", "shell"].includes(fence.language) && o.tools.includes("bash")) {
    if (!fence.closed && o.cutOff) return { name: "bash", args: {}, error: unusable.cutOff };
    if (content === "") return { name: "bash", args: {}, error: unusable.empty };
    return withArguments("bash", { command: fence.content });
  }
  if (fence.language !== "json" && fence.language !== "") return undefined;
  // Data in a fence is common; a call has to look like one before its faults are worth a word.
  return readCall(content, { tools: o.tools, surely: false, cutOff: o.cutOff && !fence.closed });
}

/** Where the model begins to write the result of its call itself: nothing from there on is worth keeping. */
function inventedResult(text: string, from: number): number {
  const invented = /^[ \t]*<output(?:[ \t][^>\n]*)?>|<\s*\|\s*tool_result\s*\|\s*>/gm;
  invented.lastIndex = from;
  return invented.exec(text)?.index ?? text.length;
}
