import { ConfigError } from "./errors.ts";
import { didYouMean } from "./text/did-you-mean.ts";

/**
 * Refuses an option that a public function does not take: a program in JavaScript has no compiler that would, and would measure something else than it intends.
 * @throws ConfigError with the function, the option, and the nearest one or all
 */
export function knownOptions<Options extends object>(
  name: string,
  given: Options,
  known: Readonly<Record<keyof Options & string, true>>,
): void {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(known, key));
  if (unknown === undefined) return;
  const cure = didYouMean(unknown, Object.keys(known), "the options are");
  throw new ConfigError(`${name}: unknown option "${unknown}", ${cure}${cure.endsWith("?") ? "" : "."}`);
}
