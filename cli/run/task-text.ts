import { text as readText } from "node:stream/consumers";
import { ConfigError } from "../../harness/errors.ts";

/** What is to be done: the words of the command line, and what is piped in after them. @throws ConfigError where there is neither. */
export async function taskText(words: string): Promise<string> {
  const piped = process.stdin.isTTY || process.stdin.readableEnded ? "" : await pipedText();
  const task = [words.trim(), piped.trim()].filter((part) => part !== "").join("\n\n");
  if (task === "") throw new ConfigError('There is nothing to do: say it, as in forge run "make the failing test pass".');
  return task;
}

/** What is piped in; an inherited standard input that nobody writes to is not waited for. */
async function pipedText(): Promise<string> {
  const { fstatSync } = await import("node:fs");
  const stat = fstatSync(0);
  return stat.isFIFO() || stat.isFile() ? readText(process.stdin) : "";
}
