import { actsOf } from "../acts/acts-of.ts";
import { atCall } from "../acts/cite.ts";
import type { Act } from "../acts/act.ts";
import type { Detector } from "../detector.ts";

const least = 8;

export const editThrash: Detector = {
  name: "edit-thrash",
  kind: "edit-thrash",
  looksAt: `${least} edits or more of one file in a row, with no other file, no passing check and at most one other call between two of them.`,
  provedWrongBy: "The edits are parts of one long text, each in a place of its own.",
  lever: "loop-detection",
  confidence: "low",
  detect(run) {
    const acts = actsOf(run);
    let streak: Act[] = [];
    let best: readonly Act[] = [];
    for (const act of acts) {
      const last = streak.at(-1);
      if (act.wrote.length === 0) {
        if (act.check?.passed === true) streak = [];
        continue;
      }
      const again = last !== undefined && act.wrote.length === 1 && act.wrote[0] === last.wrote[0] && act.index - last.index <= 2;
      streak = again ? [...streak.slice(-200), act] : act.wrote.length === 1 ? [act] : [];
      if (streak.length > best.length) best = streak;
    }
    const first = best[0];
    if (!first || best.length < least) return [];
    // written whole each time, up to the end: nothing of it was kept
    const whole = best.filter((act) => act.whole).length >= best.length / 2;
    const atTheEnd = acts.length - ((best.at(-1)?.index ?? 0) + 1) <= 2;
    const why = `It edits one file ${best.length} times in a row.`;
    return [{ ...atCall(first), why, mechanism: "one file edited over and over", confidence: whole && atTheEnd ? "high" : "low" }];
  },
};
