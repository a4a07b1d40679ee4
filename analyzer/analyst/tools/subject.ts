import type { ToolOutcome } from "../../../harness/tools/tool.ts";
import type { AnalyzedRun } from "../../runs/analyzed-run.ts";

/** What one conversation is about. */
export interface Subject {
  readonly run: AnalyzedRun;
  /** A run of the same task that passed, of the same configuration where there is one. */
  readonly sibling: AnalyzedRun | undefined;
}

/** Characters of one answer; more is read by `offset`. */
const pageCharacters = 8_000;

/** A piece of a long text from `offset` on, and how to read on. */
export function page(text: string, offset = 0): ToolOutcome {
  const piece = text.slice(offset, offset + pageCharacters);
  const next = offset + piece.length;
  const note = next < text.length ? { note: `${text.length - next} characters more: offset ${next}.` } : {};
  return { status: "ok", content: [{ type: "text", text: piece }], ...note };
}

/** What cannot be answered, and what to do. */
export const cannot = (error: string, note: string): ToolOutcome => ({ status: "error", content: [], note, error });
