// Numbers for reading, the same in every page. Exact ones are in `--json`.

/** Halves go away from zero, and what is a half but for the last digit of its binary form counts as one: a figure computed two ways reads alike. */
const rounded = (value: number, digits: number): number => Math.round(value * 10 ** digits * (1 + Number.EPSILON * 8)) / 10 ** digits;

/** A share as a percentage with one decimal, where a table is about small differences of it: `58.8`. Never `-0.0`. */
export function hundredths(share: number): string {
  const text = rounded(Math.abs(share) * 100, 1).toFixed(1);
  return share < 0 && text !== "0.0" ? `-${text}` : text;
}

/** What a computation leaves behind that comes to 0 or 1. */
const noise = 1e-9;

/** `58 %`. Only all is `100 %` and only nothing `0 %`: what would round to them has a decimal. */
export function percent(share: number): string {
  const whole = rounded(share * 100, 0);
  if (whole === 100 && share < 1 - noise) return `${Math.min(99.9, rounded(share * 100, 1)).toFixed(1)} %`;
  if (whole === 0 && share > noise) return `${Math.max(0.1, rounded(share * 100, 1)).toFixed(1)} %`;
  return `${whole} %`;
}

/** The size of a difference of shares in percentage points, without its sign: `29`, `8.3`, `5`, `0`. A decimal under ten, two under 0.1: an end of an interval that is not 0 is none here. */
export function pointsSize(share: number): string {
  const size = Math.abs(share) * 100;
  return String(rounded(size, size >= 9.95 ? 0 : size >= 0.095 ? 1 : 2));
}

/** The same with its sign: `+29`, `−8.3`, `0`. */
export function signedPoints(share: number): string {
  const size = pointsSize(share);
  return size === "0" ? size : `${share > 0 ? "+" : "−"}${size}`;
}

/** As an end of an interval: `15`, `−8.3`. */
export const pointsEnd = (share: number): string => signedPoints(share).replace("+", "");

/** `p = .002`, `p = .63`: two digits, of four decimals at most; as many more as keep it on its side of 5 %. */
export function probability(p: number): string {
  if (p < 0.0001) return "p < .0001";
  let digits = 2;
  while (digits < 6 && Number(p.toPrecision(digits)) < 0.05 !== p < 0.05) digits++;
  const shown = Number(Number(p.toPrecision(digits)).toFixed(p < 0.04 ? 4 : 6));
  return `p = ${String(shown).replace(/^0\./, ".")}`;
}

/** `1 task`, `2 tasks`; of a word whose plural is no `s` behind it, `many`: `1 family`, `2 families`. */
export const plural = (n: number, word: string, many = `${word}s`): string => `${n} ${n === 1 ? word : many}`;
