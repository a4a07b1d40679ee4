/** Figures as a person reads them in passing; exact ones are in `--json`. */

/** `58 %`; `–` where nothing was counted. */
export const wholePercent = (part: number, of: number): string => (of === 0 ? "–" : `${Math.round((part / of) * 100)} %`);

/** `950`, `8.3k`, `84k`, `1.2M`. */
export function roundCount(value: number): string {
  if (value < 1000) return String(value);
  const [scaled, unit] = value < 999_500 ? [value / 1000, "k"] : [value / 1e6, "M"];
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)}${unit}`;
}

/** `$0.04`, `$12`, `<$0.01`; `–` where it is not known. */
export function roundDollars(usd: number | null): string {
  if (usd === null) return "–";
  if (usd > 0 && usd < 0.005) return "<$0.01";
  return `$${usd < 9.995 ? usd.toFixed(2) : Math.round(usd)}`;
}

/** `0.4 s`, `41 s`, `3 min`, `2 h 10 min`. */
export function roundTime(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 99.5) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
