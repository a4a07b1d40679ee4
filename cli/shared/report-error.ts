import { Help } from "commander";
import pc from "picocolors";
import { codeOf, ForgeError, messageOf } from "../../harness/errors.ts";
import { printable } from "../../harness/text/printable.ts";
import { asCalled } from "../../reports/text/next-steps.ts";
import { InterruptedError } from "./interruptible.ts";
import { redactorFor } from "../../harness/secrets/redactor-for-environment.ts";
import { nameRuns } from "../../traces/read/run-name.ts";

/** What the machine refuses, in words, with the cure. */
const refusals: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full; free some space, or choose another folder, and run the same command again",
  EDQUOT: "The disk quota is used up; free some space, or choose another folder, and run the same command again",
  EFBIG: "A file became larger than is allowed here; raise the limit (ulimit -f) and run the same command again",
  EISDIR: "There is a folder where a file should be; move it away",
  ENOTDIR: "There is a file where a folder should be; move it away",
  ELOOP: "A link leads back to itself; put the file itself there",
  EROFS: "The file system is read-only; choose another folder",
  EACCES: "Permission was denied; choose another folder, or change its rights",
  EPERM: "That is not allowed here; choose another folder, or change its rights",
  EMFILE: "Too many files are open; raise the limit (ulimit -n), or do less at a time with --jobs",
};

const finished = (sentence: string): string => (/[.?!)…]$/.test(sentence) ? sentence : `${sentence}.`);

function refusalOf(error: unknown): string | undefined {
  const code = codeOf(error);
  const words = code !== undefined && Object.hasOwn(refusals, code) ? refusals[code] : undefined;
  return words && `${words} (${messageOf(error)}).`;
}

/** Broken at blanks where a terminal would break words. */
const onScreen = (text: string): string => (process.stderr.isTTY ? new Help().boxWrap(text, process.stderr.columns || 80) : text);

/** Says what went wrong in one sentence on standard error and answers the exit code. A stack is shown with --debug only. */
export function reportError(error: unknown, debug: boolean): number {
  if (error instanceof InterruptedError) {
    const left = messageOf(error);
    process.stderr.write(`${finished(left === "interrupted" ? "Interrupted" : left)}\n`);
    if (debug && error.stack) process.stderr.write(`${error.stack}\n`);
    return 130;
  }
  const refusal = refusalOf(error);
  // Only what begins a line is ours: what others wrote may have lines of its own.
  const shown = (text: string): string => printable(redactorFor(process.env)(nameRuns(text))).replaceAll("\n", "\n    ");
  const known = error instanceof ForgeError || refusal !== undefined;
  const hint = known || debug ? "" : " This is a defect of Forge: run again with --debug and report what it prints.";
  process.stderr.write(
    `${onScreen(`error: ${asCalled(shown(refusal ?? finished(messageOf(error))))}${hint}`).replace("error:", pc.red("error:"))}\n`,
  );
  if (debug && error instanceof Error && error.stack) process.stderr.write(`${shown(error.stack)}\n`);
  if (error instanceof ForgeError) return error.exitCode;
  return refusal === undefined ? 1 : 3;
}
