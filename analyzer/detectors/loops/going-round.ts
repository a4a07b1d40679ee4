import { sha256 } from "../../../harness/hash/sha256.ts";
import { actsOf } from "../acts/acts-of.ts";
import { atCall } from "../acts/cite.ts";
import type { Detector } from "../detector.ts";

/** Looking again at a file or two is ordinary; so many looks that tell nothing new, among the calls since the work last changed, are not. */
const least = 6;
const share = 0.25;

export const goingRound: Detector = {
  name: "going-round",
  kind: "repeated-call",
  looksAt: `${least} calls or more, a quarter of all since the last edit, that were made before with the same answer, not in a row, and no edit in between.`,
  provedWrongBy:
    "The conversation was shortened in between, so that the first answer was gone; or the edit is one that the record does not show.",
  lever: "loop-detection",
  confidence: "medium",
  detect(run) {
    const acts = actsOf(run);
    const seen = new Map<string, number>();
    let again = { first: -1, count: 0 };
    let [since, best] = [0, { first: -1, count: 0, since: 0, until: 0 }];
    acts.forEach((act, i) => {
      if (act.wrote.length > 0 && act.failed !== true) {
        seen.clear();
        again = { first: -1, count: 0 };
        since = i + 1;
        return;
      }
      const key = sha256(`${act.step.tool}\0${act.step.command}\0${act.output}`);
      const before = seen.get(key);
      if (act.role !== "wait" && act.role !== "plan" && before !== undefined && before !== i - 1)
        again = { first: again.count === 0 ? i : again.first, count: again.count + 1 };
      seen.set(key, i);
      if (again.count > best.count) best = { ...again, since, until: i };
    });
    const first = acts[best.first];
    if (!first || best.count < least || best.count < share * (best.until - best.since + 1)) return [];
    const unfinished = run.end.type !== "done" || acts.length - best.until <= 3;
    const why = `${best.count} of its ${best.until - best.since + 1} calls since the last edit were made before, with the same answers.`;
    return [{ ...atCall(first), why, mechanism: "the same looks again", confidence: unfinished ? "high" : "low" }];
  },
};
