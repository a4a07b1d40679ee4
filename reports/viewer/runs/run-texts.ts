import { CannotError } from "../../../harness/errors.ts";
import { callDiff } from "../../content/call-diff.ts";
import { storyEntry, storyResult } from "../../content/story-entry.ts";
import type { SearchAnswer, TextPiece } from "../api.ts";
import type { OutlineEntry, RunOutline } from "./run-outline.ts";

/** Characters that are sent at a time: a line of ten megabytes does not stop a page that shows so much of it. */
const pieceSize = 64 * 1024;
/** Entries that a search answers. */
const mostFound = 2000;

/** A piece of an entry's whole text. @throws CannotError for an entry that is not there */
export async function textPiece(outline: RunOutline, index: number, part: "body" | "result", from: number): Promise<TextPiece> {
  const entry = outline.entries[index];
  if (!entry || (part === "result" && !entry.result)) throw new CannotError(`The run has no text there (entry ${index}).`);
  const text = part === "body" ? await bodyOf(outline, entry) : await answerOf(outline, entry);
  return { text: text.slice(from, from + pieceSize), from, size: text.length };
}

/** The entries in whose head, text or result a text stands, whatever its case. */
export async function searchRun(outline: RunOutline, wanted: string): Promise<SearchAnswer> {
  const text = wanted.toLowerCase();
  const found: number[] = [];
  if (text === "") return { entries: [], more: false };
  for (const [index, entry] of outline.entries.entries()) {
    if (found.length >= mostFound) return { entries: found, more: true };
    const says = (one: string): boolean => one.toLowerCase().includes(text);
    const whole = entry.body.size === entry.body.text.length;
    const fits =
      says(entry.head) ||
      says(entry.result?.head ?? "") ||
      says(entry.body.text) ||
      says(entry.result?.body.text ?? "") ||
      (!whole && says(await bodyOf(outline, entry))) ||
      (isCut(entry) && says(await answerOf(outline, entry)));
    if (fits) found.push(index);
  }
  return { entries: found, more: false };
}

const isCut = ({ result }: OutlineEntry): boolean => result !== undefined && result.body.size > result.body.text.length;

async function bodyOf(outline: RunOutline, entry: OutlineEntry): Promise<string> {
  const event = await outline.eventAt(entry.where);
  return (entry.body.diff ? callDiff(event.d) : undefined) ?? storyEntry(event)?.body ?? "";
}

const answerOf = async (outline: RunOutline, { result }: OutlineEntry): Promise<string> =>
  result ? storyResult(await outline.eventAt(result.where)).body : "";
