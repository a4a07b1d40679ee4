import { sha256 } from "../../events/hash.ts";
import { draw } from "./draw.ts";
import { heed, listsWhatIsMissing, statesFact, type Fault } from "./faults.ts";
import type { FaultOnTheWay, Itinerary, Move, PlannedCall, Step } from "./itinerary.ts";
import * as lines from "./lines.ts";
import type { Plan } from "./plan.ts";
import type { Heard } from "./read-conversation.ts";

/** What the model does in one turn. Without calls it takes itself to be done. */
export interface Act {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}
export interface Part {
  readonly plan: Plan;
  readonly task: string;
  readonly seed: number;
  readonly protocol: "native" | "text";
}

/** Where the model stands: a function of the conversation, never kept between calls. */
export interface Stand {
  readonly moves: readonly Move[];
  readonly hidden: Itinerary["hidden"];
  /** The fault it is in, and how often it has acted on it. */
  readonly within?: { readonly fault: FaultOnTheWay; readonly count: number } | undefined;
  readonly finished: boolean;
  readonly rechecked: boolean;
  /** Messages of the harness that it ignored in a row. */
  readonly ignored: number;
  readonly turn: number;
}

export function setOut(itinerary: Itinerary, context: readonly string[], o: Part): Stand {
  const warned = context.some((message) => listsWhatIsMissing(message) && draw(o.task, o.seed, "context", sha256(message)) < heed.context);
  const moves = itinerary.moves.filter((move) => !(warned && move.type === "fault" && move.fault === "assumes-missing-tool"));
  return { moves, hidden: itinerary.hidden, finished: false, rechecked: false, ignored: 0, turn: 0 };
}

/** The next turn, and where it leaves the model. */
export function act(stand: Stand, o: Part): { act: Act; stand: Stand } {
  const turn = stand.turn + 1;
  const [move, ...moves] = stand.moves;
  if (stand.within) {
    const within = { ...stand.within, count: stand.within.count + 1 };
    return { act: slip(stand.within.fault, stand.within.count, move, o), stand: { ...stand, within, turn } };
  }
  if (move?.type === "fault")
    return { act: slip(move.fault, 0, moves[0], o), stand: { ...stand, moves, within: { fault: move.fault, count: 1 }, turn } };
  if (move) return { act: { text: move.step.say ?? "", calls: move.step.calls }, stand: { ...stand, moves, turn } };
  const claims = stand.hidden.some(({ fault }) => fault === "claims-unwritten-file") ? ` ${lines.claimWritten(o.plan.claims)}` : "";
  return { act: { text: o.plan.answer + claims, calls: [] }, stand: { ...stand, finished: true, turn } };
}

/** What the model makes of what it heard after its turn. */
export function hear(stand: Stand, heard: Heard, o: Part): Stand {
  const carried = stand.within?.fault === "prints-call" && heard.carriedOut ? afterPrintedCall(stand) : stand;
  return heard.talk.reduce((at, message) => hearMessage(at, message, o), carried);
}

/** The harness has made the printed call: the rest of its step is next. */
function afterPrintedCall(stand: Stand): Stand {
  const [printed, ...moves] = stand.moves;
  const calls = printed?.type === "step" ? printed.step.calls.slice(1) : [];
  const rest: Move[] = printed?.type === "step" && calls.length > 0 ? [{ type: "step", step: { ...printed.step, calls } }] : [];
  return { ...stand, within: undefined, moves: [...rest, ...moves] };
}

function hearMessage(stand: Stand, message: string, o: Part): Stand {
  const fault = stand.within?.fault ?? (stand.finished ? stand.hidden[0]?.fault : undefined);
  if (fault === undefined) return stand.finished ? recheck(stand, o) : stand;
  const chance = heedChance(message, fault, stand.ignored);
  if (draw(o.task, o.seed, "heed", fault, stand.turn, sha256(message)) >= chance) return { ...stand, ignored: stand.ignored + 1 };
  const mended = { ...stand, within: undefined, finished: false, ignored: 0 };
  if (stand.within?.fault === "edits-one-file-again-and-again") return { ...mended, moves: [...steps([tidy]), ...stand.moves] };
  if (stand.within) return mended;
  return { ...mended, moves: steps(stand.hidden[0]?.repair ?? []), hidden: [] };
}

/** The chance that a message is heeded: at most 0.7, and less the more were ignored before it. */
export function heedChance(message: string, fault: Fault, ignored: number): number {
  return (statesFact(message, fault) ? heed.fact : heed.prose) / 2 ** ignored;
}

/** Asked again after honest work: it looks once more, once. */
function recheck(stand: Stand, o: Part): Stand {
  if (stand.rechecked) return stand;
  return { ...stand, rechecked: true, finished: false, moves: steps(o.plan.steps.filter((step) => step.check)) };
}

const steps = (list: readonly Step[]): Move[] => list.map((step) => ({ type: "step", step }));
const bash = (command: string): PlannedCall[] => [{ tool: "bash", args: { command } }];
const tidy: Step = { say: lines.tidying, calls: bash(lines.tidyCommand), check: false };

/** @param next what it would do if it did not go wrong here. */
function slip(fault: FaultOnTheWay, count: number, next: Move | undefined, o: Part): Act {
  const step = next?.type === "step" ? next.step : undefined;
  const patience = (least: number): number => least + Math.floor(draw(o.task, o.seed, "patience", fault) * 5);
  switch (fault) {
    case "stops-early":
      return { text: lines.intention, calls: [] };
    case "repeats-failing-call":
      return count < patience(6)
        ? { text: lines.retrying(count), calls: bash(lines.failingCommand) }
        : { text: lines.gaveUpRetrying, calls: [] };
    case "edits-one-file-again-and-again":
      return count < patience(13)
        ? { text: lines.redrafting(count), calls: bash(lines.draftCommand(count)) }
        : { text: lines.gaveUpDrafting, calls: [] };
    case "assumes-missing-tool":
      return count === 0
        ? { text: lines.reachingForTool, calls: bash(lines.missingToolCommand) }
        : { text: lines.gaveUpWithoutTool, calls: [] };
    case "prints-call": {
      const call = step?.calls[0];
      if (!call) return { text: lines.intention, calls: [] };
      const command = call.args["command"];
      return o.protocol === "text" && typeof command === "string"
        ? { text: lines.unfencedCommand(step.say, command), calls: [] }
        : { text: lines.printedCall(step.say, call.tool, call.args), calls: [] };
    }
  }
}
