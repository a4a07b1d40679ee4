import { CannotError } from "../../harness/errors.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { tornText, type TornTail } from "../../traces/read/torn-tail.ts";
import { writerOf } from "../../traces/format/writer-claim.ts";
import { runName } from "../../traces/read/run-name.ts";

/** Says on standard error what of a run was left out; nothing where the trace is whole. For commands whose answer has no place for it. */
export function sayTorn(run: string, torn: TornTail | null): void {
  if (torn) process.stderr.write(`${oneLine(runName(run))}: ${tornText(torn, { writing: isWritten(run) })}.\n`);
}

/** Where that cannot be known, a command that would write to it reports so. */
function isWritten(run: string): boolean {
  try {
    return writerOf(run) !== undefined;
  } catch (error) {
    if (!(error instanceof CannotError)) throw error;
    return false;
  }
}
