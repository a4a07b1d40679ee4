import { atEnd, finalText } from "../acts/cite.ts";
import type { Detector } from "../detector.ts";
import { gaveUpWords } from "./says.ts";

export const gaveUp: Detector = {
  name: "gave-up",
  kind: "gave-up",
  looksAt: "A last reply that states that the work is left undone.",
  provedWrongBy: "What is left undone was not requested.",
  lever: "restarts-or-best-of-n",
  confidence: "medium",
  detect(run) {
    const [text, place] = [finalText(run), atEnd(run)];
    const words = gaveUpWords(text);
    if (words === undefined || !place) return [];
    return [{ ...place, why: `It ends with the work undone by its own words ("${words}").`, mechanism: "says that it leaves it undone" }];
  },
};
