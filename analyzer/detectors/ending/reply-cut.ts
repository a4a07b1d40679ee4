import { atReply } from "../acts/cite.ts";
import type { Detector } from "../detector.ts";

export const replyCut: Detector = {
  name: "reply-cut",
  kind: "reply-cut",
  looksAt: "Replies that were cut at their length before a call came of them.",
  provedWrongBy: "The next reply does what the cut one was to do.",
  lever: "output-budget",
  confidence: "low",
  detect(run) {
    const cut = run.replies.filter(({ stop, steps }) => stop === "length" && steps.length === 0);
    const first = cut[0];
    if (!first) return [];
    const last = run.replies.at(-1);
    const atTheEnd = cut.at(-1) === last;
    const why = `${cut.length === 1 ? "A reply was" : `${cut.length} replies were`} cut at the limit of tokens, and no call came of ${cut.length === 1 ? "it" : "them"}.`;
    return [{ ...atReply(first), why, mechanism: "reply cut at its length", confidence: atTheEnd ? "high" : "low" }];
  },
};
