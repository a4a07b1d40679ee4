import { InvalidArgumentError } from "commander";

/** Gathers a repeated option. */
export const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value];

export function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError(`Expected a whole number ≥ 1, got "${value}".`);
  return number;
}

/** How many of something, or none of it. */
export function countNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError(`Expected a whole number ≥ 0, got "${value}".`);
  return Number(value);
}

/** Gathers names of variables. What one is set to comes from the environment, and never from a command line that others can read. */
export function collectVariables(value: string, before: readonly string[] | undefined): readonly string[] {
  if (value === "" || /[=\0]/.test(value))
    throw new InvalidArgumentError(`Expected the name of a variable of your environment, got "${value}"; set it there.`);
  return collect(value, before);
}

/** 0: a free one. */
export function portNumber(value: string): number {
  const number = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number <= 65_535)) throw new InvalidArgumentError(`Expected a port from 0 (a free one) to 65535, got "${value}".`);
  return number;
}

export function dollarAmount(value: string): number {
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number) || number <= 0)
    throw new InvalidArgumentError(`Expected an amount in USD above 0, such as 2.50, got "${value}".`);
  return number;
}

/** Percentage points between 0 and 100, as a share. */
export function pointsOption(value: string): number {
  const number = Number(value);
  if (value.trim() === "" || !(number > 0 && number < 100))
    throw new InvalidArgumentError(`Expected percentage points above 0 and under 100, such as 5, got "${value}".`);
  return number / 100;
}

const spanUnits: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30m`, `12h`, `7d` in milliseconds. */
export function span(value: string): number {
  const [, number = "", unit = ""] = /^(\d+)([smhd])$/.exec(value) ?? [];
  const ms = spanUnits[unit];
  if (ms === undefined) throw new InvalidArgumentError(`Expected a time such as 30m, 12h or 7d, got "${value}".`);
  return Number(number) * ms;
}

const byteUnits: Readonly<Record<string, number>> = { kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** `60kB`, `500MB`, `20GB`, `1.5TB` in bytes. */
export function byteSize(value: string): number {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)([kMGT]B)$/.exec(value) ?? [];
  const bytes = byteUnits[unit];
  if (bytes === undefined) throw new InvalidArgumentError(`Expected a size such as 500MB or 20GB, got "${value}".`);
  return Math.round(Number(number) * bytes);
}
