import { codeOf, ForgeError } from "../../harness/errors.ts";
import { writerOf } from "../../traces/format/writer-claim.ts";
import type { Comparison } from "./compare.ts";
import { partingOf } from "./flips/parting.ts";
import type { LostTail, TracedFlip } from "./flips/traced-flips.ts";

/** More flips than these are listed without the step at which they part: each takes reading two traces. */
const mostRead = 40;

/** The comparison with the first step at which the two runs of each flip part. A trace that is damaged, not whole or not to be read is no reason to give no answer: its flip stays without. */
export async function withPartings(comparison: Comparison): Promise<Comparison> {
  let read = 0;
  const part = async (flip: TracedFlip): Promise<TracedFlip> => {
    if (flip.runA === null || flip.runB === null || read++ >= mostRead) return flip;
    try {
      const torn: { a: LostTail | null; b: LostTail | null } = { a: null, b: null };
      const parting = await partingOf(flip.runA, flip.runB, (run, tail) => {
        torn[run === flip.runA ? "a" : "b"] = { ...tail, ...(writerOf(run) ? { writing: true } : {}) };
      });
      return { ...flip, parting: parting ?? null, ...(torn.a || torn.b ? { torn } : {}) };
    } catch (error) {
      if (error instanceof ForgeError || codeOf(error) !== undefined) return flip;
      throw error;
    }
  };
  const pairs = [];
  const ours = new Set(comparison.arms.flatMap((arm) => (arm.measuredBy === "Forge" ? [arm.name] : [])));
  for (const pair of comparison.pairs) {
    if (!ours.has(pair.a) || !ours.has(pair.b)) {
      pairs.push(pair); // another runner's folders hold no trace that could be read
      continue;
    }
    const flips: TracedFlip[] = [];
    for (const flip of pair.flips) flips.push(await part(flip));
    pairs.push({ ...pair, flips });
  }
  return { ...comparison, pairs };
}
