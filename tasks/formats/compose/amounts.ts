/** A compose size (`512m`, `2G`, `1.5gb`, bytes as a number) in MiB, rounded up; undefined for none and for zero. */
export function sizeMb(value: number | string | undefined): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([kmg]?)/i.exec(String(value ?? ""));
  if (!match) return undefined;
  const factor = { k: 1 / 1024, m: 1, g: 1024 }[(match[2] ?? "").toLowerCase()] ?? 1 / 1024 ** 2;
  return Math.ceil(Number(match[1]) * factor) || undefined;
}

/** A number written as such or as text; undefined for none, for zero and for the empty text. */
export function countOf(value: number | string | undefined): number | undefined {
  const number = value === undefined ? 0 : Number(value);
  return Number.isFinite(number) && number > 0 ? number : undefined;
}

/** A compose time (`1m30s`, `500ms`, nanoseconds as a number) in milliseconds; undefined for none. */
export function timeMs(value: number | string | undefined): number | undefined {
  if (value === undefined || value === "") return undefined;
  if (typeof value === "number") return value / 1e6;
  const factors: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  let sum = 0;
  for (const [, number, unit] of value.matchAll(/(\d+(?:\.\d+)?)(us|ms|s|m|h)/g)) sum += Number(number) * (factors[unit ?? ""] ?? 0);
  return sum;
}
