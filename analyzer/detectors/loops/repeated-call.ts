import type { RunStep } from "../../runs/analyzed-run.ts";
import { citeCall } from "../citation.ts";
import type { Detector } from "../detector.ts";

/** The second time may be a check; the third with the same answer tells nothing new. */
const least = 3;

export const repeatedCall: Detector = {
  name: "repeated-call",
  kind: "repeated-call",
  looksAt: `The same call ${least} times in a row with the same result, or refused, and no edit in between.`,
  provedWrongBy: "The result was expected to change by itself, as where a service starts.",
  lever: "loop-detection",
  confidence: "medium",
  detect({ steps }) {
    let [begin, end] = [0, 0];
    for (; begin < steps.length; begin = end) {
      const step = steps[begin] as RunStep; // begin is in it
      for (end = begin + 1; end < steps.length && isSame(step, steps[end] as RunStep);) end++;
      const times = end - begin;
      if (times < least) continue;
      const again = steps[begin + 1] ?? step;
      return [
        {
          ...citeCall(again),
          step: again.step,
          why: `It makes the same call ${times} times in a row and nothing changes.`,
          mechanism: `same ${step.tool} call again`,
          // what ends a run weighs more than what it left behind
          confidence: steps.length - end <= 1 ? "high" : "medium",
        },
      ];
    }
    return [];
  },
};

function isSame(a: RunStep, b: RunStep): boolean {
  if (a.tool !== b.tool || a.command !== b.command) return false;
  return b.status === "denied" || b.resultSeq === undefined || (a.observation === b.observation && (b.edited ?? []).length === 0);
}
