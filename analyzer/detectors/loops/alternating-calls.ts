import { atCall } from "../acts/cite.ts";
import { actsOf } from "../acts/acts-of.ts";
import type { Act } from "../acts/act.ts";
import type { Detector } from "../detector.ts";

/** Two calls in turn may be a comparison; the third round with the same answers is none. */
const rounds = 3;

export const alternatingCalls: Detector = {
  name: "alternating-calls",
  kind: "repeated-call",
  looksAt: `Two calls in turn, ${rounds} rounds or more, each with the result that it had the round before, and no edit in between.`,
  provedWrongBy: "The results differ from round to round, or something outside was to change meanwhile.",
  lever: "loop-detection",
  confidence: "medium",
  detect(run) {
    const acts = actsOf(run);
    let begin = 0;
    for (let i = 2; i <= acts.length; i++) {
      const [act, before, last] = [acts[i], acts[i - 2], acts[i - 1]];
      if (act && before && last && same(act, before) && !same(act, last)) continue;
      const calls = i - begin;
      const first = acts[begin];
      if (first && calls >= 2 * rounds) {
        const atTheEnd = acts.length - i <= 1;
        const why = `It goes round between two calls, ${Math.floor(calls / 2)} times, and learns nothing new.`;
        return [{ ...atCall(first), why, mechanism: "two calls in turn", confidence: atTheEnd ? "high" : "medium" }];
      }
      begin = i - 1;
    }
    return [];
  },
};

const same = (a: Act, b: Act): boolean =>
  a.step.tool === b.step.tool && a.step.command === b.step.command && a.output === b.output && a.wrote.length === 0 && b.wrote.length === 0;
