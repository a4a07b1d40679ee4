import { InvalidArgumentError } from "commander";

/** Gathers a repeated option. */
export const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value];

export function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError(`Expected a whole number ≥ 1, got "${value}".`);
  return number;
}

export function dollarAmount(value: string): number {
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number) || number <= 0)
    throw new InvalidArgumentError(`Expected an amount in USD above 0, such as 2.50, got "${value}".`);
  return number;
}
