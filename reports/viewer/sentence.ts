import { messageOf } from "../../harness/errors.ts";
import { oneLine } from "../../harness/text/printable.ts";

/** What was thrown, for a page: one line, with its full stop. */
export function sentence(error: unknown): string {
  const text = oneLine(messageOf(error));
  return /[.?!)…]$/.test(text) ? text : `${text}.`;
}
