import { codeOf, messageOf } from "../../harness/errors.ts";

/** Whoever read the output (`| head`) has seen enough: that is no error, and ends the command. What still runs in containers, the reaper ends. */
export function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit();
  void import("./report-error.ts").then(({ reportError }) => process.exit(reportError(error, false)));
}

/**
 * For work that is worth more than what it prints: aborted when standard output takes nothing any more, which a sentence on standard error says, and the
 * command goes on to its end.
 */
export function lostOutput(): { readonly signal: AbortSignal } & Disposable {
  const lost = new AbortController();
  const hear = (error: Error): void => {
    if (lost.signal.aborted) return;
    process.stderr.write(
      `The reader of this command's output is gone (${codeOf(error) ?? messageOf(error)}): no further trial starts, as after Ctrl-C. Run the same command again to resume.\n`,
    );
    lost.abort(error);
  };
  process.stdout.off("error", endQuietly);
  process.stdout.on("error", hear);
  return {
    signal: lost.signal,
    [Symbol.dispose]() {
      // What comes late, such as of the last table, is told by nobody; the exit code says how the work ended.
      if (lost.signal.aborted) return;
      process.stdout.off("error", hear);
      process.stdout.on("error", endQuietly);
    },
  };
}
