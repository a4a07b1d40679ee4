import type { Act, Part } from "./act.ts";
import { draw } from "../draw.ts";
import type { FaultOnTheWay, PlannedCall, Step } from "./itinerary.ts";
import * as lines from "./lines.ts";

const bash = (command: string): PlannedCall[] => [{ tool: "bash", args: { command } }];
const says = (text: string): Act => ({ text, calls: [] });

/** Tokens that one reply would need where everything is written in one piece. */
export const roomNeeded = (o: Part): number => 5_000 + Math.floor(draw(o.task, o.seed, "room") * 3_000);

/**
 * The turn of a fault that happens on the way; undefined where it is over by itself and the work goes on.
 * @param count turns it has taken before
 * @param next what would be done if it did not go wrong here
 */
export function slip(fault: FaultOnTheWay, count: number, next: Step | undefined, o: Part): Act | undefined {
  const act = slips[fault](count, next, o);
  return act && { ...act, fault };
}

const patience = (o: Part, fault: FaultOnTheWay, least: number): number => least + Math.floor(draw(o.task, o.seed, "patience", fault) * 5);

/** Does something over and over, then gives up. */
const stubborn =
  (fault: FaultOnTheWay, least: number, turn: (count: number, o: Part) => Act, gaveUp: string) =>
  (count: number, _next: Step | undefined, o: Part): Act =>
    count < patience(o, fault, least) ? turn(count, o) : says(gaveUp);

const slips: Readonly<Record<FaultOnTheWay, (count: number, next: Step | undefined, o: Part) => Act | undefined>> = {
  "stops-early": () => says(lines.intention),
  "repeats-failing-call": stubborn(
    "repeats-failing-call",
    6,
    (count) => ({ text: lines.retrying(count), calls: bash(lines.failingCommand) }),
    lines.gaveUpRetrying,
  ),
  "edits-one-file-again-and-again": stubborn(
    "edits-one-file-again-and-again",
    13,
    (count) => ({ text: lines.redrafting(count), calls: bash(lines.draftCommand(count)) }),
    lines.gaveUpDrafting,
  ),
  "assumes-missing-tool": (count) =>
    count === 0 ? { text: lines.reachingForTool, calls: bash(lines.missingToolCommand) } : says(lines.gaveUpWithoutTool),
  "prints-call": (_count, step, o) => {
    const call = step?.calls[0];
    if (!call) return says(lines.intention);
    const command = call.args["command"];
    return o.protocol === "text" && typeof command === "string"
      ? says(lines.unfencedCommand(step.say, command))
      : says(lines.printedCall(step.say, call.tool, call.args));
  },
  "misreads-output": () => says(lines.sawNothing),
  "bad-arguments": (count, step, o) => {
    const call = step?.calls[0] ?? { tool: "bash", args: { command: "ls" } };
    return count < patience(o, "bad-arguments", 3)
      ? { text: step?.say ?? "", calls: [{ tool: call.tool, args: lines.misnamed(call.args) }] }
      : says(lines.gaveUpOnTool);
  },
  "alternates-two-calls": stubborn(
    "alternates-two-calls",
    10,
    (count) => ({ text: lines.lookingAgain(count), calls: bash(lines.alternating[count % 2] ?? "") }),
    lines.gaveUpLooking,
  ),
  "waits-for-ever": stubborn(
    "waits-for-ever",
    2,
    (count) => ({ text: lines.waiting(count), calls: [{ tool: "bash", args: { command: lines.endlessCommand, timeoutMs: 300 } }] }),
    lines.gaveUpWaiting,
  ),
  "over-thinks": stubborn(
    "over-thinks",
    18,
    (count, o) => ({
      text: lines.pondering(count),
      calls: bash(lines.ponderedCommand(count)),
      thinking: { text: lines.thoughts(count), tokens: 3_000 + Math.floor(draw(o.task, o.seed, "thinking", count) * 900) },
    }),
    lines.gaveUpPondering,
  ),
  // What fits is read, and the work goes on: only the size of what comes back decides.
  "reads-too-much": (count) => (count < 6 ? { text: lines.readingAll(count), calls: bash(lines.dumpCommand(count)) } : undefined),
  "cuts-reply-off": () => ({ text: lines.writingAll, calls: [], stop: "length" }),
  "reaches-for-reward": (count) =>
    count === 0 ? { text: lines.reachingForReward, calls: bash(lines.rewardCommand) } : says(lines.claimsPassed),
  "refuses-task": () => ({ ...says(lines.refusal), stop: "refusal" }),
};
