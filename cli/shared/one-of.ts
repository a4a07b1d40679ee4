import { ConfigError } from "../../harness/errors.ts";

/** The value of an option that takes a few words. */
export function oneOf<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new ConfigError(`${option}: expected ${allowed.join(", ")}, got "${value}".`);
  return found;
}
