import { ConfigError } from "../../harness/errors.ts";

/** What an option's `parse` throws. */
export const wrongValue = (option: string, expected: string, value: string): ConfigError =>
  new ConfigError(`${option}: expected ${expected}, got "${value}".`);

export function wholeNumber(value: string, option: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw wrongValue(option, "a whole number ≥ 1", value);
  return number;
}

export const wholeNumberFrom =
  (least: number, most: number) =>
  (value: string, option: string): number => {
    const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= least && number <= most)) throw wrongValue(option, `a whole number from ${least} to ${most}`, value);
    return number;
  };

/** How many of something, or none of it. */
export function countNumber(value: string, option: string): number {
  if (!/^\d{1,9}$/.test(value)) throw wrongValue(option, "a whole number ≥ 0", value);
  return Number(value);
}

/** The name of a variable. What it is set to comes from the environment, and never from a command line that others can read. */
export function variableName(value: string, option: string): string {
  if (value === "" || /[=\0]/.test(value)) throw wrongValue(option, "the name of a variable that your environment sets", value);
  return value;
}

export function dollarAmount(value: string, option: string): number {
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number) || number <= 0)
    throw wrongValue(option, "an amount in USD above 0, such as 2.50", value);
  return number;
}

/** A job's name is a word of the command line that is no path. */
export function jobName(value: string, option: string): string {
  if (!/^[\w][\w.-]{0,39}$/.test(value)) throw wrongValue(option, "letters, digits, . - and _, at most 40", value);
  return value;
}

/** A rate as a share or in percent. */
export function passRate(value: string, option: string): number {
  const [, number = "", percent] = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(value) ?? [];
  const rate = number === "" ? Number.NaN : Number(number) / (percent ? 100 : 1);
  if (!(rate >= 0 && rate <= 1)) throw wrongValue(option, "a rate from 0 to 1 or in percent, such as 0.8 or 80%", value);
  return rate;
}

/** `--price in,out`: USD per million tokens. */
export function tokenPrice(value: string, option: string): { readonly input: number; readonly output: number } {
  const [input = Number.NaN, output = Number.NaN, ...more] = value
    .split(",")
    .map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (!(input >= 0) || !(output >= 0) || !Number.isFinite(input + output) || more.length > 0)
    throw wrongValue(option, "USD per million tokens in and out, such as 2,10", value);
  return { input, output };
}

/** Percentage points between 0 and 100, as a share. */
export function percentagePoints(value: string, option: string): number {
  const number = Number(value);
  if (value.trim() === "" || !(number > 0 && number < 100))
    throw wrongValue(option, "percentage points above 0 and under 100, such as 5", value);
  return number / 100;
}

const spanUnits: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30m`, `12h`, `7d` in milliseconds. */
export function span(value: string, option: string): number {
  const [, number = "", unit = ""] = /^(\d+)([smhd])$/.exec(value) ?? [];
  const ms = spanUnits[unit];
  if (ms === undefined) throw wrongValue(option, "a time such as 30m, 12h or 7d", value);
  return Number(number) * ms;
}

const byteUnits: Readonly<Record<string, number>> = { kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** `60kB`, `500MB`, `20GB`, `1.5TB` in bytes. */
export function byteSize(value: string, option: string): number {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)([kMGT]B)$/.exec(value) ?? [];
  const bytes = byteUnits[unit];
  if (bytes === undefined) throw wrongValue(option, "a size such as 500MB or 20GB", value);
  return Math.round(Number(number) * bytes);
}
