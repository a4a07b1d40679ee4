import { sha256 } from "../../../hash/sha256.ts";
import type { Act, Part } from "./act.ts";
import { draw } from "../draw.ts";
import type { Fault } from "../faults/fault-kinds.ts";
import { heed, heedChance, listsWhatIsMissing } from "./heeding.ts";
import type { FaultOnTheWay, Itinerary, Move, Step } from "./itinerary.ts";
import * as lines from "./lines.ts";
import type { Heard } from "./read-conversation.ts";
import { slip } from "./slip.ts";

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
    const { fault, count } = stand.within;
    const slipped = slip(fault, count, stepOf(move), o);
    if (!slipped) return act({ ...stand, within: undefined }, o);
    return { act: slipped, stand: { ...stand, within: { fault, count: count + 1 }, turn } };
  }
  if (move?.type === "fault") return act({ ...stand, moves, within: { fault: move.fault, count: 0 } }, o);
  if (move) {
    const { step, fault } = move;
    return { act: { text: step.say ?? "", calls: step.calls, ...(fault && { fault }) }, stand: { ...stand, moves, turn } };
  }
  const claims = stand.hidden.some(({ fault }) => fault === "claims-unwritten-file") ? ` ${lines.claimWritten(o.plan.claims)}` : "";
  const fault = stand.hidden[0]?.fault;
  return {
    act: { text: o.plan.answer + claims, calls: [], ...(fault && fault !== "out-of-its-depth" && { fault }) },
    stand: { ...stand, finished: true, turn },
  };
}

const stepOf = (move: Move | undefined): Step | undefined => (move?.type === "step" ? move.step : undefined);

/** The same stand where the fault that is due does not happen. */
export function spared(stand: Stand): Stand {
  if (stand.within) return { ...stand, within: undefined };
  return stand.moves[0]?.type === "fault" ? { ...stand, moves: stand.moves.slice(1) } : stand;
}

/** What the model makes of what it heard after its turn. */
export function hear(stand: Stand, heard: Heard, o: Part): Stand {
  const carried = madeAnyway(stand.within?.fault, heard) ? afterItsCall(stand) : stand;
  return heard.talk.reduce((at, message) => hearMessage(at, message, o), carried);
}

/** Whether the harness made of a broken call what was meant by it. */
const madeAnyway = (fault: Fault | undefined, heard: Heard): boolean =>
  (fault === "prints-call" && heard.carriedOut) || (fault === "bad-arguments" && heard.succeeded);

/** The harness has made the first call of the step: the rest of it is next. */
function afterItsCall(stand: Stand): Stand {
  const [meant, ...moves] = stand.moves;
  const calls = meant?.type === "step" ? meant.step.calls.slice(1) : [];
  const rest: Move[] = meant?.type === "step" && calls.length > 0 ? [{ type: "step", step: { ...meant.step, calls } }] : [];
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

/** Asked again after honest work: it looks once more, once. */
function recheck(stand: Stand, o: Part): Stand {
  if (stand.rechecked) return stand;
  return { ...stand, rechecked: true, finished: false, moves: steps(o.plan.steps.filter((step) => step.check)) };
}

const steps = (list: readonly Step[]): Move[] => list.map((step) => ({ type: "step", step }));
const tidy: Step = { say: lines.tidying, calls: [{ tool: "bash", args: { command: lines.tidyCommand } }], check: false };
