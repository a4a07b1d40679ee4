import { actsOf } from "../acts/acts-of.ts";
import { atReply } from "../acts/cite.ts";
import type { AnalyzedRun, RunReply } from "../../runs/analyzed-run.ts";
import type { Detector } from "../detector.ts";

/** Tokens of one reply, four characters each where they are not known. */
const long = 1_500;
const least = 6;

export const overThinking: Detector = {
  name: "over-thinking",
  kind: "over-thinking",
  looksAt: `${least} replies or more in a row of ${long} tokens or more that only look, or call nothing, and change nothing.`,
  provedWrongBy: "The tokens are arguments of calls, or what was thought led to the edit that solved it.",
  lever: "more-effort",
  confidence: "low",
  detect(run) {
    const streak = longestStreak(run);
    const first = streak[0];
    if (!first || streak.length < least) return [];
    const atTheEnd = run.replies.length - (run.replies.indexOf(streak.at(-1) ?? first) + 1) <= 1;
    const why = `${streak.length} long replies in a row think and look, and change nothing.`;
    return [{ ...atReply(first), why, mechanism: "long thought, no action", confidence: atTheEnd ? "high" : "low" }];
  },
};

function longestStreak(run: AnalyzedRun): readonly RunReply[] {
  const looks = new Map(actsOf(run).map((act) => [act.step.seq, act.looksOnly || (act.role === "shell" && act.wrote.length === 0)]));
  let [streak, best]: [RunReply[], readonly RunReply[]] = [[], []];
  for (const reply of run.replies) {
    const idle = sizeOf(reply) >= long && reply.steps.every(({ seq }) => looks.get(seq) === true);
    if (!idle) streak = [];
    else if (streak.push(reply) > best.length) best = streak;
  }
  return best;
}

/** A command is an act and no thought: its length does not count. */
const sizeOf = ({ outputTokens, text, thinking, steps }: RunReply): number => {
  const called = steps.reduce((sum, { command }) => sum + command.length, 0) / 4;
  return outputTokens > 0 ? outputTokens - called : (text.length + thinking.length) / 4;
};
