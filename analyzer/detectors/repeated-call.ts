import type { RunStep } from "../runs/analyzed-run.ts";
import { citeCall } from "./citation.ts";
import type { Detector } from "./detector.ts";

/** The second time may be a check; the third with the same answer tells nothing new. */
const least = 3;

export const repeatedCall: Detector = {
  name: "repeated-call",
  kind: "repeated-call",
  looksAt: `The same call ${least} times in a row with the same answer, or refused, and no edit in between.`,
  provedWrongBy: "The answer was expected to change by itself, as where a service starts.",
  lever: "loop-detection",
  confidence: "medium",
  detect({ steps }) {
    for (const [i, step] of steps.entries()) {
      const same = steps.slice(i).findIndex((other) => !isSame(step, other));
      const times = same < 0 ? steps.length - i : same;
      if (times < least) continue;
      const again = steps[i + 1] ?? step;
      return [
        {
          ...citeCall(again),
          step: again.step,
          why: `It makes the same call ${times} times in a row and nothing changes.`,
          mechanism: `same ${step.tool} call again`,
        },
      ];
    }
    return [];
  },
};

function isSame(a: RunStep, b: RunStep): boolean {
  if (a.tool !== b.tool || a.command !== b.command) return false;
  if (a === b) return true;
  return b.status === "denied" || b.resultSeq === undefined || (a.observation === b.observation && (b.edited ?? []).length === 0);
}
