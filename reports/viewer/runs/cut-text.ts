import type { CutText } from "../api.ts";

/** The beginning of a text, at most so many lines and characters of it, and how long all of it is. */
export function cutText(text: string, o: { readonly lines: number; readonly characters: number }): CutText {
  let lines = text === "" ? 0 : 1;
  let end = Math.min(text.length, o.characters);
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (lines === o.lines) end = Math.min(end, at);
    lines++;
  }
  return { text: text.slice(0, end), size: text.length, lines };
}
