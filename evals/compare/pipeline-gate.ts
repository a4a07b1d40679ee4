import { points, type VerdictWord } from "./verdict.ts";
import type { Comparison } from "./compare.ts";
import { showsDifference } from "../statistics/paired-test.ts";

/** What a pipeline is told. `underpowered`: no regression was shown, and none of the size that matters was ruled out. */
export interface Gate {
  readonly answer: "passed" | "failed" | "underpowered" | "not comparable";
  /** One sentence. */
  readonly why: string;
}

/**
 * Passes where nothing is worse, on new tasks or on these alone, and, with a margin, where every interval rules out a loss of more than that. What cannot tell does not pass: nothing to
 * compare, a job that is not finished or invalid, too few tasks, a regression that shows only as trials without a score are read. A simulated job does,
 * as a plumbing check has nothing to regress.
 */
export function gateOf({ pairs, margin, notComparable, incomplete, arms }: Comparison): Gate {
  if (notComparable !== undefined) return { answer: "not comparable", why: `${notComparable}.` };
  const named = (word: VerdictWord): string =>
    pairs
      .filter(({ verdict }) => verdict.word === word)
      .map(({ b }) => b)
      .join(", ");
  const worse = [
    ...(named("worse") === "" ? [] : [`${named("worse")}: worse than the baseline.`]),
    ...(named("worse on this suite only") === "" ? [] : [`${named("worse on this suite only")}: worse than the baseline on these tasks.`]),
  ];
  if (worse.length > 0) return { answer: "failed", why: worse.join(" ") };
  const underpowered = (why: string): Gate => ({ answer: "underpowered", why });
  if (pairs.length === 0)
    return underpowered(
      `There is ${arms[0] === undefined ? "no configuration" : `only the configuration ${arms[0].name}`}, and nothing to compare it with; name another job, or the baseline's with --baseline.`,
    );
  const few = pairs.find(({ verdict }) => verdict.word === "too few tasks");
  if (few) return underpowered(few.verdict.sentence);
  const [open] = incomplete;
  if (open !== undefined) return underpowered(`${open}, so what the whole would show is not known; resume its bench.`);
  if (pairs.some(({ verdict }) => verdict.word === "withheld"))
    return { answer: "passed", why: "Verdict withheld: simulated, nothing was decided." };
  for (const { b, readings } of pairs) {
    const loses = readings.find((one) => showsDifference([{ p: one.adjustedP, interval: one.newTasks }], -1));
    if (loses)
      return underpowered(
        `${b} is worse when trials that are missing or have no score ${loses.reading === "excluded" ? "are left out" : loses.reading === "failed" ? "count as failures" : "count against the claim"}, and not in every other reading.`,
      );
  }
  const wide = margin === undefined ? undefined : pairs.find(({ readings }) => readings.some(({ cautious }) => cautious.low < -margin));
  if (wide && margin !== undefined) {
    const low = Math.min(...wide.readings.map(({ cautious }) => cautious.low));
    return underpowered(`${wide.b} may be worse by as much as ${points(-low)}, more than the margin of ${points(margin)}.`);
  }
  return {
    answer: "passed",
    why: margin === undefined ? "No regression was shown." : `A loss of more than ${points(margin)} is ruled out.`,
  };
}
