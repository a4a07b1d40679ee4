import { createLiveBlock, type ProgressStream } from "./live-block.ts";

/** One line about something that may take long: nothing is shown before two seconds, nor where nobody watches. */
export interface SlowProgress {
  at(what: string, done: number, of: number): void;
  say(line: string): void;
  /** Takes the line away. */
  end(): void;
}

const patienceMs = 2_000;
const frameMs = 100;

export function createSlowProgress(stream: ProgressStream, now: () => number): SlowProgress {
  if (!stream.isTTY) return { at: () => undefined, say: () => undefined, end: () => undefined };
  const block = createLiveBlock(stream);
  const begun = now();
  let drawn = 0;
  const say = (line: string): void => {
    const time = now();
    if (time - begun < patienceMs || time - drawn < frameMs) return;
    drawn = time;
    block.draw([line.slice(0, stream.columns ?? 80)]);
  };
  return {
    at: (what, done, of) => say(`${what} ${done}/${of}`),
    say,
    end() {
      if (drawn > 0) block.draw([]);
    },
  };
}
