/** Ctrl-C or SIGTERM ended a command before its work was done, which is no failure: exit code 130. The message says what is left of the work. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}

/**
 * Runs something that Ctrl-C can end in steps: once `stop` (finish what runs), twice `signal` (give up at once), three times the process is out
 * and what it leaves is swept at the next start. SIGTERM counts as Ctrl-C.
 * @param left what a person is told where it threw after Ctrl-C, as in "nothing was written"; without it what it threw goes on as it is.
 */
export async function interruptible<T>(
  act: (signals: { stop: AbortSignal; signal: AbortSignal }) => Promise<T>,
  left?: string | (() => string),
): Promise<T> {
  const stop = new AbortController();
  const signal = new AbortController();
  let pressed = 0;
  const press = (): void => {
    pressed++;
    if (pressed === 1) stop.abort(new InterruptedError("interrupted"));
    else if (pressed === 2) signal.abort(new InterruptedError("interrupted"));
    else process.exit(130);
  };
  process.on("SIGINT", press);
  process.on("SIGTERM", press);
  try {
    return await act({ stop: stop.signal, signal: signal.signal });
  } catch (error) {
    // Whatever it says, it is what became of the work: a program that was ended, a trial without a record.
    if (left === undefined || !stop.signal.aborted) throw error;
    throw new InterruptedError(`Interrupted; ${typeof left === "string" ? left : left()}.`, { cause: error });
  } finally {
    process.off("SIGINT", press);
    process.off("SIGTERM", press);
  }
}
