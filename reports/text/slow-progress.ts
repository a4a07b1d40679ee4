import { createLiveBlock, type ProgressStream } from "./live-block.ts";

/** One line about something that may take long: nothing is shown before two seconds, nor where nobody watches. */
export interface SlowProgress {
  at(what: string, done: number, of: number): void;
  /** Takes the line away. */
  end(): void;
}

const patienceMs = 2_000;
const frameMs = 100;

export function createSlowProgress(stream: ProgressStream, now: () => number): SlowProgress {
  if (!stream.isTTY) return { at: () => undefined, end: () => undefined };
  const block = createLiveBlock(stream);
  const begun = now();
  let drawn = 0;
  return {
    at(what, done, of) {
      const time = now();
      if (time - begun < patienceMs || time - drawn < frameMs) return;
      drawn = time;
      block.draw([`${what} ${done}/${of}`.slice(0, stream.columns ?? 80)]);
    },
    end() {
      if (drawn > 0) block.draw([]);
    },
  };
}
