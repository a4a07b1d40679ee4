import { isObject, type Json, type JsonObject } from "../../harness/json.ts";
import type { NumberedEvent } from "../../traces/read/turns.ts";
import type { AnalyzedRun, RunStep } from "../runs/analyzed-run.ts";
import { objectOf } from "../runs/steps-of.ts";

/** A shorter quote could be anywhere. */
const leastCharacters = 20;

/**
 * Whether a quote is in the event that it is said to be from: at least 20 characters of one of its fields, or a whole field. The task, the system prompt and
 * tool descriptions cannot be cited: they show what was asked and never what happened.
 */
export function isCited(run: AnalyzedRun, { seq, quote }: { readonly seq: number; readonly quote: string }): boolean {
  const event = run.events[seq];
  if (!event || event.seq !== seq || quote === "") return false;
  return citable(event).some((field) => field === quote || (quote.length >= leastCharacters && field.includes(quote)));
}

/** At most so many characters of a field as a quote: from the first line of it that says something. */
export function quoteOf(field: string, o: { readonly around?: string; readonly most?: number } = {}): string {
  const { around, most = 160 } = o;
  const at = around === undefined ? -1 : field.indexOf(around);
  if (field.length <= most) return field;
  const from = at < 0 ? field.length - field.trimStart().length : Math.max(0, Math.min(at, field.length - leastCharacters));
  const piece = field.slice(from, from + most);
  const line = piece.slice(0, piece.indexOf("\n") >= leastCharacters ? piece.indexOf("\n") : most);
  return line.length >= leastCharacters ? line : field.slice(Math.max(0, field.length - most));
}

/** Where a call can be cited, and what of it: the longest of its arguments, from `around` on, or the tool's name where it has none. */
export function citeCall({ seq, tool, args }: RunStep, around?: string): { readonly seq: number; readonly quote: string } {
  const [longest = ""] = textsIn(args).toSorted((a, b) => b.length - a.length);
  return { seq, quote: longest === "" ? tool : quoteOf(longest, around === undefined ? {} : { around }) };
}

/** The texts of an event that may be cited, each as it was recorded. */
export function citable({ t, d }: NumberedEvent): string[] {
  switch (t) {
    case "run.start":
      return [];
    case "model.request":
      return textsIn(toolMessages(d["add"]));
    case "model.response":
      return textsIn([objectOf(d["message"])["content"] ?? null, d["calls"] ?? null, d["stop"] ?? null]);
    default:
      return textsIn(d);
  }
}

/** Of what a request brought, the answers of middleware: the first of the rest is the task. */
const toolMessages = (add: Json | undefined): Json[] =>
  Array.isArray(add)
    ? add.flatMap((item) => {
        const message: JsonObject = isObject(item) ? objectOf(item["message"]) : {};
        return message["role"] === "tool" ? [message["content"] ?? null] : [];
      })
    : [];

function textsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((item) => textsIn(item));
}
