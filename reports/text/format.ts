import { percent, plural } from "../../harness/text/figures.ts";

export { percent, plural };

/** Shown in place of a value that is not known. */
export const unknown = "–";

/** `1.2 s`, `45 s`, `3 min 05 s`, `17 min`, `2 h 10 min`; `–` where it is not known. */
export function duration(ms: number | null): string {
  if (ms === null) return unknown;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole >= 600 && whole < 3570) return `${Math.round(whole / 60)} min`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, "0")} min`;
}

/** As `duration`, for a line that is read in passing: `0.4 s`, `41 s`, `3 min`, `2 h 10 min`. */
export function roundTime(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 99.5) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `56 %` of so many; `–` where nothing was counted. */
export const percentOf = (part: number, of: number): string => (of === 0 ? unknown : percent(part / of));

/** `950`, `8.3k`, `236k`, `1.2M`; `–` where it is not known. */
export function count(value: number | null): string {
  if (value === null) return unknown;
  if (value < 1000) return String(Math.round(value));
  const [size, unit] = value < 999_500 ? [value / 1000, "k"] : [value / 1_000_000, "M"];
  return `${size.toFixed(size < 9.95 ? 1 : 0)}${unit}`;
}

/** `$1.50`, `$0.04`, `$0.0043`; `–` where a price is unknown, never 0; `$0.04 simulated` where nothing is charged and the price is made up. */
export function dollars(usd: number | null, o: { readonly simulated?: boolean | undefined } = {}): string {
  if (usd === null) return unknown;
  const digits = usd === 0 || usd >= 0.01 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(digits)}${o.simulated === true ? " simulated" : ""}`;
}

/** `512 bytes`, `12.3 kB`, `1.20 MB`, `4.00 GB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return plural(bytes, "byte");
  if (bytes < 1e6) return `${(bytes / 1000).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(2)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}

/** The text in at most so many characters, cut between two words; what is cut off leaves an `…`. A word that is too long by itself is cut within. */
export function cutAtWord(text: string, most: number): string {
  const letters = Array.from(text);
  if (letters.length <= most) return text;
  const kept = letters.slice(0, most).join("");
  const end = kept.lastIndexOf(" ");
  return `${(end > 0 ? kept.slice(0, end) : Array.from(kept).slice(0, -1).join("")).replace(/[\s,;:.–—-]+$/, "")}…`;
}
