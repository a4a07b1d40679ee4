import { atEnd, finalText } from "../acts/cite.ts";
import type { Detector } from "../detector.ts";
import { announces } from "./says.ts";

export const stopsEarly: Detector = {
  name: "stops-early",
  kind: "gave-up",
  looksAt: "A last reply without a call that ends with what the agent is about to do.",
  provedWrongBy: "All of the work is done, and what is announced is an offer to the user.",
  lever: "pre-completion-checklist",
  confidence: "high",
  detect(run) {
    const [text, place] = [finalText(run), atEnd(run)];
    const words = announces(text);
    if (words === undefined || !place || run.end.type === "limit") return [];
    return [
      {
        ...place,
        why: `Its last reply announces what it does next ("${words}") and calls nothing.`,
        mechanism: "announces the next step and ends",
      },
    ];
  },
};
