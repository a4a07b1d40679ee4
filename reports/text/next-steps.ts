import { displayWidth } from "./display-width.ts";

/** How the user called this command, and can call the next: `npx forge` where npm found it, else `forge`. */
export const forgeWord = (): string => (process.env["npm_command"] === "exec" ? "npx forge" : "forge");

/** A sentence whose cure names a command, as in `forge doctor`: with the word of this call. */
export const asCalled = (sentence: string): string => sentence.replace(/(?<![\w./-]|npx )forge(?= [a-z-])/g, forgeWord());

/**
 * Where to look next, in one line where it fits, else a line each: `Why: forge analyze d2c0     Look: forge view d2c0`.
 * @param steps what follows `forge` in a command, or an option alone
 */
export function nextSteps(steps: readonly (readonly [label: string, command: string])[], width = 80): string {
  const texts = steps.map(([label, command]) => `${label}: ${command.startsWith("--") ? command : `${forgeWord()} ${command}`}`);
  const line = texts.join("     ");
  return displayWidth(line) <= width ? line : texts.join("\n");
}
