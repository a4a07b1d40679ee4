import { atReply } from "../acts/cite.ts";
import type { Detector } from "../detector.ts";

const least = 3;

export const stalled: Detector = {
  name: "stalled",
  kind: "reply-cut",
  looksAt: `${least} replies or more without a word and without a call, or one that ended the run.`,
  provedWrongBy: "The replies held something that the record leaves out, such as a call that its importer could not read.",
  lever: "restarts-or-best-of-n",
  confidence: "low",
  detect(run) {
    const empty = run.replies.filter(({ text, thinking, steps }) => steps.length === 0 && text.trim() === "" && thinking.trim() === "");
    const first = empty[0];
    if (!first) return [];
    const ends = run.replies.at(-1) === empty.at(-1) && run.imported === undefined;
    if (!ends && empty.length < least) return [];
    const why = `${empty.length === 1 ? "A reply is" : `${empty.length} replies are`} empty.`;
    return [{ ...atReply(ends ? (empty.at(-1) ?? first) : first), why, mechanism: "empty reply", confidence: ends ? "high" : "low" }];
  },
};
