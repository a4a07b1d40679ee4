/**
 * Runs something that Ctrl-C can end in steps: once `stop` (finish what runs), twice `signal` (give up at once), three times the process is out
 * and what it leaves is swept at the next start. SIGTERM counts as Ctrl-C.
 */
export async function interruptible<T>(act: (signals: { stop: AbortSignal; signal: AbortSignal }) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const signal = new AbortController();
  let pressed = 0;
  const press = (): void => {
    pressed++;
    if (pressed === 1) stop.abort(new Error("interrupted"));
    else if (pressed === 2) signal.abort(new Error("interrupted"));
    else process.exit(130);
  };
  process.on("SIGINT", press);
  process.on("SIGTERM", press);
  try {
    return await act({ stop: stop.signal, signal: signal.signal });
  } finally {
    process.off("SIGINT", press);
    process.off("SIGTERM", press);
  }
}
