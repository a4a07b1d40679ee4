import type { Executed } from "./history.ts";

/**
 * How many of the last `window` calls were this one with one and the same answer. An edit by another call in between is a new situation,
 * and another answer is progress: neither counts as going in circles.
 */
export function identicalInARow(done: readonly Executed[], signature: string, window: number): number {
  let answer: string | undefined;
  let times = 0;
  for (const one of done.slice(-window).reverse()) {
    if (one.signature !== signature) {
      if (one.edited.length > 0) break;
      continue;
    }
    answer ??= one.answer;
    if (one.answer !== answer) break;
    times++;
  }
  return times;
}

/** How often this very call, and nothing else, was made just now and failed in the same way, changing nothing. */
export function failuresInARow(done: readonly Executed[], signature: string): number {
  const answer = done.at(-1)?.answer;
  const other = done.findLastIndex((one) => one.signature !== signature || one.answer !== answer || !one.failed || one.edited.length > 0);
  return done.length - 1 - other;
}

/**
 * The short cycle that a call with `signature` would go on with, after at least one full round again: the same calls in the same order with
 * the same answers, at least two of them different. `rounds` counts full ones with this call; `closes` when it ends one.
 */
export function cycleRounds(
  done: readonly Executed[],
  signature: string,
  cycle: false | { readonly min: number; readonly max: number },
): { readonly length: number; readonly rounds: number; readonly closes: boolean } | undefined {
  if (cycle === false) return undefined;
  const last = done.length;
  const at = (i: number): string | undefined => (i === last ? signature : done[i]?.signature);
  const recurs = (i: number, length: number): boolean =>
    i - length >= 0 && at(i) === at(i - length) && (i === last || done[i]?.answer === done[i - length]?.answer);
  for (let length = cycle.min; length <= cycle.max; length++) {
    if (done.slice(1 - length).every((one) => one.signature === signature)) continue;
    let run = 0;
    while (recurs(last - run, length)) run++;
    if (run >= length) return { length, rounds: Math.floor(run / length) + 1, closes: run % length === 0 };
  }
  return undefined;
}
