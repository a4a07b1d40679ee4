import { Help } from "commander";
import pc from "picocolors";
import { ForgeError, messageOf } from "../../harness/errors.ts";
import { refusalOf } from "../../harness/refusal.ts";
import { printable } from "../../harness/text/printable.ts";
import { asCalled } from "../../reports/text/next-steps.ts";
import { InterruptedError } from "./interruptible.ts";
import { redactorFor } from "../../harness/secrets/redactor-for-environment.ts";
import { nameRuns } from "../../traces/read/run-name.ts";

const finished = (sentence: string): string => (/[.?!)…]$/.test(sentence) ? sentence : `${sentence}.`);

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
