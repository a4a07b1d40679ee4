import { displayWidth } from "./display-width.ts";

/** What a terminal is to a live block: `process.stderr` is one. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  on?(event: "resize", listener: () => void): unknown;
  off?(event: "resize", listener: () => void): unknown;
}

/** A block of lines at the end of a terminal that is drawn again in place, and text that stays above it. */
export interface LiveBlock {
  /** Puts `lines` where the block was, each already as narrow as the terminal; `above` scrolls away over it and stays. */
  draw(lines: readonly string[], above?: string): void;
}

// A frame between these two reaches the screen as a whole, where the terminal knows them; others ignore them.
const beginFrame = "\u001b[?2026h";
const endFrame = "\u001b[?2026l";
const clearToLineEnd = "\u001b[K";
const clearBelow = "\u001b[J";

/**
 * Each frame is one write that goes up to the block's first row and overwrites row by row: nothing is ever blank in between, so nothing flickers.
 * After the terminal became narrower its old rows have wrapped; how many they are now is worked out from their widths.
 */
export function createLiveBlock(stream: ProgressStream): LiveBlock {
  let shown: readonly string[] = [];
  let shownColumns = stream.columns ?? 80;
  return {
    draw(lines, above = "") {
      const columns = stream.columns ?? 80;
      const rows = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), 0);
      const up = rows > 0 ? `\r\u001b[${rows}A` : "\r";
      // A row that once wrapped stays joined to the next in a terminal's memory until it is cleared, and is one with it again after widening.
      const afresh = above !== "" || columns !== shownColumns ? clearBelow : "";
      const kept = above === "" ? "" : above.replace(/\n?$/, "\n");
      const block = lines.map((line) => `${line}${clearToLineEnd}\n`).join("");
      shown = lines;
      shownColumns = columns;
      stream.write(`${beginFrame}${up}${afresh}${kept}${block}${clearBelow}${endFrame}`);
    },
  };
}
