/** Characters of one observation that the model sees; the rest stands in a file. */
export const observationChars = 30_000;

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
