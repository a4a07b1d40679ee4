/**
 * A share as a percentage with one decimal: `58.8`. Halves go away from zero, and a share that is a half but for the last digit of its binary form counts as
 * one, so that a figure and its opposite, and the same figure computed two ways, read alike. Never `-0.0`.
 */
export function hundredths(share: number): string {
  const tenths = Math.round(Math.abs(share) * 1000 * (1 + Number.EPSILON * 8));
  return `${share < 0 && tenths > 0 ? "-" : ""}${(tenths / 10).toFixed(1)}`;
}

/** The same with its sign: `+58.8`, `-58.8`, `0.0`. */
export function signedHundredths(share: number): string {
  const text = hundredths(share);
  return share > 0 && text !== "0.0" ? `+${text}` : text;
}

/** `1 task`, `2 tasks`; of a word whose plural is no `s` behind it, `many`: `1 family`, `2 families`. */
export const plural = (n: number, word: string, many = `${word}s`): string => `${n} ${n === 1 ? word : many}`;

/** `p = 0.0123`. */
export const probability = (p: number): string => (p < 0.0001 ? "p < 0.0001" : `p = ${p.toFixed(4)}`);
