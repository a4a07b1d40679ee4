import { atEnd } from "../acts/cite.ts";
import type { Detector } from "../detector.ts";

export const refusal: Detector = {
  name: "refusal",
  kind: "gave-up",
  looksAt: "The reason why the model stopped: a refusal.",
  provedWrongBy: "The task is one that must be refused.",
  lever: "restarts-or-best-of-n",
  confidence: "high",
  detect(run) {
    const place = atEnd(run);
    if (!place || (run.replies.at(-1)?.stop !== "refusal" && run.end.type !== "refused")) return [];
    return [{ ...place, why: "The model refused to go on.", mechanism: "refusal" }];
  },
};
