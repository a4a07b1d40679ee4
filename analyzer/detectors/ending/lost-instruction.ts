import { actsOf } from "../acts/acts-of.ts";
import { atCall } from "../acts/cite.ts";
import type { Detector } from "../detector.ts";

const least = 3;

export const lostInstruction: Detector = {
  name: "lost-instruction",
  kind: "lost-instruction",
  looksAt: `Conversations that were shortened, and calls of the beginning that are made again right after it, ${least} or more with the same words.`,
  provedWrongBy: "The calls look at what changed meanwhile, or the summary asks for them.",
  lever: "reminders-of-the-instruction",
  confidence: "medium",
  detect(run) {
    const compact = run.events.find(({ t, lane }) => t === "context.compact" && lane === "main");
    if (!compact) return [];
    const acts = actsOf(run);
    const before = new Set(acts.filter(({ step }) => step.seq < compact.seq).map(({ step }) => `${step.tool}\0${step.command}`));
    const after = acts.filter(({ step }) => step.seq > compact.seq).slice(0, 12);
    const again = after.filter(({ step }) => before.has(`${step.tool}\0${step.command}`));
    const first = again[0];
    if (!first || again.length < least) return [];
    return [
      {
        ...atCall(first),
        why: `After the conversation was shortened it starts over: ${again.length} calls are those of before.`,
        mechanism: "starts over after a compaction",
      },
    ];
  },
};
