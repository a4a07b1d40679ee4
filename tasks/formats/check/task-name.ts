import { ConfigError } from "../../../harness/errors.ts";
import { shownValue } from "../read/shown-value.ts";

/**
 * A task's or a step's name if it can stand in a path, a table and a terminal. `place`: where it comes from, for the message. Throws `ConfigError`
 * for control characters, an empty or a `..` part, and more than 200 letters.
 */
export function taskName(name: string, place: string): string {
  const parts = name.split("/");
  const fits = name.length <= 200 && !/[\p{C}\\]/u.test(name) && parts.every((part) => part.trim() !== "" && part !== "." && part !== "..");
  if (fits) return name;
  throw new ConfigError(
    `${place}: ${shownValue(name)} cannot be a name: it has a control character, a backslash, an empty part, ".." or too many letters. Rename it.`,
  );
}

/** The name of a step is a folder's name too: one part, with no letter that another file system refuses, and no dot or space at its end. */
export function stepName(name: string, place: string): string {
  if (/[<>:"/|?*]/.test(name) || /[. ]$/.test(name) || /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name))
    throw new ConfigError(
      `${place}: ${shownValue(name)} cannot be a step's name, which is a folder's name on every system. Use letters, digits and hyphens.`,
    );
  return taskName(name, place);
}
