import { createSlowProgress } from "../../reports/text/slow-progress.ts";

/** In a log a line this often; a terminal has one line that is drawn again. */
const everyMs = 10_000;

/** How far work of many like parts has come, on standard error: nothing for what takes under two seconds. */
export function createProgress(line: (done: number) => string): { step(): void; end(): void } {
  const live = createSlowProgress(process.stderr, Date.now);
  let done = 0;
  let said = Date.now();
  return {
    step() {
      done++;
      live.say(line(done));
      if (process.stderr.isTTY || Date.now() - said < everyMs) return;
      said = Date.now();
      process.stderr.write(`${line(done)}\n`);
    },
    end: () => live.end(),
  };
}
