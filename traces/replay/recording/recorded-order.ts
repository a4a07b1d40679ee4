/**
 * Brings a replay into the order of its recording. What ran at the same time (tool calls, subagents, questions of one middleware) stands in the
 * recording in the order in which it was done; an answer waits here until the replay has made all that was recorded before it. Each comes in a
 * turn of the event loop of its own, as it came from outside: what it sets going has gone as far as it can before the next one comes.
 */
export interface RecordedOrder {
  /** Whether every compared event before this one has been made, and it is its turn. */
  isTurn(index: number): boolean;
  /** Settles when it is. */
  turn(index: number): Promise<void>;
  /** The replay has made this recorded event. */
  made(index: number): void;
  /** Whether all before this one have been made. */
  isMade(index: number): boolean;
  allMade(): boolean;
  /** Something waits for what is not recorded: `onStill` is called once nothing moves any more. */
  watch(): void;
  close(): void;
}

/** A replay does no work of its own but computing: after so long without an event, nothing will come. */
const stillMs = 5;

/**
 * @param compared for each recorded event, whether a replay makes it.
 * @param onStill nothing has moved, and nothing waits for its turn alone.
 */
export function createRecordedOrder(compared: readonly boolean[], onStill: (waiting: number) => void): RecordedOrder & { release(): void } {
  const done = compared.map((one) => !one);
  const waiting = new Map<number, () => void>();
  let next = 0;
  let moves = 0;
  let timer: NodeJS.Timeout | undefined;

  const advance = (): void => {
    while (next < done.length && done[next]) next++;
  };
  const open = (index: number): void => {
    const go = waiting.get(index);
    waiting.delete(index);
    moves++;
    go?.();
  };
  let pumping = false;
  /** At most one waits for what has been made: the next one waits for its event. */
  const pump = (): void => {
    if (pumping || !waiting.has(next)) return;
    pumping = true;
    setImmediate(() => {
      pumping = false;
      open(next);
    });
  };
  const watch = (): void => {
    if (timer !== undefined) return;
    const seen = moves;
    timer = setTimeout(() => {
      timer = undefined;
      if (moves === seen) onStill(waiting.size);
      else watch();
    }, stillMs);
  };
  advance();

  return {
    watch,
    isTurn: (index) => next === index,
    allMade: () => next >= done.length,
    isMade: (index) => done[index] === true,
    turn(index) {
      return new Promise((resolve) => {
        if (next > index) return resolve();
        waiting.set(index, resolve);
        if (next === index) pump();
        else watch();
      });
    },
    made(index) {
      moves++;
      done[index] = true;
      if (index !== next) return;
      advance();
      pump();
    },
    release() {
      const first = Math.min(...waiting.keys());
      open(first);
      watch();
    },
    close: () => clearTimeout(timer),
  };
}
