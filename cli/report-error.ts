import pc from "picocolors";
import { ForgeError, messageOf } from "../harness/errors.ts";

/** Says what went wrong in one sentence on standard error and answers the exit code. A stack is shown with --debug only. */
export function reportError(error: unknown, debug: boolean): number {
  const known = error instanceof ForgeError;
  const hint = known || debug ? "" : " This is a defect of Forge: run again with --debug and report what it prints.";
  process.stderr.write(`${pc.red("error:")} ${messageOf(error)}${hint}\n`);
  if (debug && error instanceof Error && error.stack) process.stderr.write(`${error.stack}\n`);
  return known ? error.exitCode : 1;
}
