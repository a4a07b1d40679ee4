let segmenter: Intl.Segmenter | undefined;
/** Made when the first text asks for it: loading its tables takes some 20 ms of a command's start. */
const segmentsOf = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })).segment(text);
/** Scripts and blocks that terminals draw two cells wide, and pictures. */
const wide =
  /^(?:[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Regional_Indicator})/u;
const invisible = /^(?:\p{M}|\p{Cf}|\p{Cc})+$/u;
// eslint-disable-next-line no-control-regex -- colours are the only escape sequences that a report writes itself
const colour = /\u001b\[[\d;]*m/g;

/** Columns of a page: those of the terminal, at most 100, which a file and a pipe get. */
// eslint-disable-next-line no-restricted-properties -- its width is read, nothing is printed
export const pageWidth = (): number => Math.max(60, Math.min(100, process.stdout.columns || 100));

/** Terminal cells that a text takes; colours take none. */
export function displayWidth(text: string): number {
  const plain = text.replaceAll(colour, "");
  if (/^[\x20-\x7e]*$/.test(plain)) return plain.length;
  let width = 0;
  for (const { segment } of segmentsOf(plain)) width += cells(segment);
  return width;
}

/** The text in at most `width` cells; what is cut off leaves an `…`. Colours must not be in it: cut first, then colour. */
export function fitWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let used = 0;
  let kept = "";
  for (const { segment } of segmentsOf(text)) {
    if (used + cells(segment) > width - 1) break;
    used += cells(segment);
    kept += segment;
  }
  return width > 0 ? `${kept}…` : "";
}

/** The same with the cut in the middle, for names that begin alike: a third of what is kept is their beginning. */
export function fitMiddle(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const begin = fitWidth(text, Math.max(1, Math.ceil(width / 3))); // with its mark
  const room = width - displayWidth(begin);
  let used = 0;
  let kept = "";
  for (const { segment } of [...segmentsOf(text)].reverse()) {
    if (used + cells(segment) > room) break;
    used += cells(segment);
    kept = segment + kept;
  }
  return width > 0 ? begin + kept : "";
}

/** Cut for a list: of a sentence the beginning is kept, of a name both ends. */
export const fitText = (text: string, width: number): string => (text.includes(" ") ? fitWidth(text, width) : fitMiddle(text, width));

/** The text with blanks up to `width` cells, cut where it is longer. */
export function padWidth(text: string, width: number, side: "left" | "right" = "left"): string {
  const fitted = fitWidth(text, width);
  const blanks = " ".repeat(Math.max(0, width - displayWidth(fitted)));
  return side === "left" ? fitted + blanks : blanks + fitted;
}

const cells = (grapheme: string): number => (invisible.test(grapheme) ? 0 : wide.test(grapheme) ? 2 : 1);
