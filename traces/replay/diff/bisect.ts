import { evidenceSchemas, type RunEvent } from "../../../harness/events/schema.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import type { JsonObject } from "../../../harness/json.ts";
import type { LoadedTrace } from "../../read/load-trace.ts";
import { createRequestRebuilder, type RebuiltRequest } from "../../read/rebuild-requests.ts";
import { firstHash } from "../../format/line.ts";
import { conversationOf, withoutIds, withoutStart, withoutTimes, type ComparedData } from "../compare/volatile-fields.ts";
import { describeDivergence, type Divergence } from "../compare/divergence.ts";
import { startDifferences, type StartDifference } from "./start-differences.ts";
import { createTurnCounter } from "../../read/turn-counter.ts";

/** Where two runs part. */
export interface Bisection {
  /** Equal digests everywhere: the same run, event by event. */
  readonly identical: boolean;
  /** In what the two were started otherwise: keys of the configuration, the task. Empty for repeats of one configuration. */
  readonly configuration: readonly StartDifference[];
  /**
   * The first event that differs in more than what never is the same twice (times, which trial it was and its seed); undefined: none does. Of runs that were started
   * otherwise the first step of the conversation that differs; where none does the first event behind their beginning; then the beginning itself.
   */
  readonly divergence: Divergence | undefined;
  /** Sequence number in each, where it is there. */
  readonly seq: { readonly a: number | undefined; readonly b: number | undefined };
  /** Events of all lanes that both have before they part, of those that were compared, and digests that were looked at to find the place. */
  readonly same: number;
  readonly probes: number;
}

/**
 * The first divergent step of two runs, by binary search on the digests of their lanes: a lane's digest covers all before it, so two lanes agree up
 * to some ordinal and never again. Of several lanes that part, the one that did so first counts.
 */
export function bisect(a: LoadedTrace, b: LoadedTrace): Bisection {
  const exact = part(recorded(a), recorded(b));
  const none = { divergence: undefined, seq: { a: undefined, b: undefined } };
  if (exact.first === undefined) return { identical: true, configuration: [], ...none, same: exact.same, probes: exact.probes };
  const configuration = startDifferences(startOf(a), startOf(b));
  // two live runs never take equally long, so what was recorded differs from the first reply on; what was said and done may not
  let { probes } = exact;
  let same = 0;
  for (const compare of configuration.length > 0 ? [conversationOf, () => withoutStart, () => withoutTimes] : [() => withoutTimes]) {
    const sides = { a: { trace: a, compare: compare(a) }, b: { trace: b, compare: compare(b) } };
    const said = part(compared(sides.a), compared(sides.b));
    probes += said.probes;
    same = said.same;
    if (said.first)
      return {
        identical: false,
        configuration,
        ...described(sides, said.first, { conversation: compare === conversationOf }),
        same,
        probes,
      };
  }
  return { identical: false, configuration, ...none, same, probes };
}

const startOf = ({ events }: LoadedTrace): RunEvent | undefined => events.find(({ t, lane }) => t === "run.start" && lane === "main");

interface Side {
  readonly trace: LoadedTrace;
  readonly compare: ComparedData;
}

function described(
  { a, b }: { a: Side; b: Side },
  { a: at, b: bt }: Place,
  o: { conversation: boolean },
): Pick<Bisection, "divergence" | "seq"> {
  const requests = bothRequests(a.trace, at, b.trace, bt);
  const [one, other] = [at === undefined ? undefined : a.trace.lines[at], bt === undefined ? undefined : b.trace.lines[bt]];
  const sides = { recorded: eventAt(a, at), replayed: eventAt(b, bt), seq: one?.seq };
  const found = describeDivergence({ ...sides, ...(requests ? { requests: o.conversation ? spokenOf(requests) : requests } : {}) });
  const divergence = { ...found, what: whatDiffers(found, sides), turn: turnAt(a.trace, at, b.trace, bt) };
  return { divergence, seq: { a: sides.seq, b: other?.seq } };
}

/** Of two runs neither is a replay of the other. */
function whatDiffers(
  { at, what }: Divergence,
  { recorded: one, replayed: other }: { recorded: RunEvent | undefined; replayed: RunEvent | undefined },
): string {
  return one?.t === other?.t ? what : `At ${at} the first run has ${one?.t ?? "nothing more"}, the second ${other?.t ?? "nothing more"}.`;
}

/** An event as it is compared. */
interface Step {
  /** In the trace. */
  readonly index: number;
  /** Among the events that are compared. */
  readonly rank: number;
  /** Digest of its lane up to it. */
  readonly s: string;
}
type Lanes = ReadonlyMap<string, Step[]>;

function lanesOf({ events }: LoadedTrace, of: (event: RunEvent, o: { index: number; before: string }) => string | undefined): Lanes {
  const lanes = new Map<string, Step[]>();
  let rank = 0;
  events.forEach((event, index) => {
    if (Object.hasOwn(evidenceSchemas, event.t)) return;
    const lane = lanes.get(event.lane) ?? [];
    const s = of(event, { index, before: lane.at(-1)?.s ?? firstHash });
    if (s === undefined) return;
    lanes.set(event.lane, lane);
    lane.push({ index, rank: rank++, s });
  });
  return lanes;
}

const recorded = (trace: LoadedTrace): Lanes => lanesOf(trace, (_, { index }) => trace.lines[index]?.s ?? "");

const compared = ({ trace, compare }: Side): Lanes =>
  lanesOf(trace, (event, { before }) => {
    const d = compare(event);
    return d && sha256(before, JSON.stringify([event.t, event.lane, d]));
  });

interface Place {
  readonly a: number | undefined;
  readonly b: number | undefined;
}
interface Parting {
  readonly first: Place | undefined;
  readonly same: number;
  readonly probes: number;
}

function part(a: Lanes, b: Lanes): Parting {
  let first: { readonly a: Step | undefined; readonly b: Step | undefined } | undefined;
  let same = 0;
  let probes = 0;
  for (const lane of new Set([...a.keys(), ...b.keys()])) {
    const [left, right] = [a.get(lane) ?? [], b.get(lane) ?? []];
    let low = 0;
    let high = Math.min(left.length, right.length);
    while (low < high) {
      const middle = (low + high) >> 1;
      probes++;
      if (left[middle]?.s === right[middle]?.s) low = middle + 1;
      else high = middle;
    }
    same += low;
    if (low === left.length && low === right.length) continue;
    const found = { a: left[low], b: right[low] };
    if (!first || isBefore(ranks(found), ranks(first))) first = found;
  }
  return { first: first && { a: first.a?.index, b: first.b?.index }, same, probes };
}

/** Where both lanes parted, the earlier place first. What only one side has stands before what that side has next and the other has now. */
const ranks = ({ a, b }: { a: Step | undefined; b: Step | undefined }): number[] =>
  [a, b].flatMap((step) => (step ? [step.rank] : [])).toSorted((x, y) => x - y);
const isBefore = ([a = 0, a2 = a]: number[], [b = 0, b2 = b]: number[]): boolean => (a === b ? a2 < b2 : a < b);

/** As it is compared: without what never is the same. */
function eventAt({ trace, compare }: Side, index: number | undefined): RunEvent | undefined {
  const event = index === undefined ? undefined : trace.events[index];
  return event && { ...event, d: compare(event) ?? event.d };
}

interface Requests {
  readonly recorded: RebuiltRequest;
  readonly replayed: RebuiltRequest;
}

/** Of two requests their messages alone, as `conversationOf` compares them. */
function spokenOf({ recorded: one, replayed: other }: Requests): Requests {
  const { params, system, tools } = one;
  const messages = ({ messages: all }: RebuiltRequest): RebuiltRequest["messages"] =>
    all.map((message) => withoutIds(message as unknown as JsonObject) as unknown as typeof message); // a message is plain JSON, shown and no more
  return { recorded: { params, system, tools, messages: messages(one) }, replayed: { params, system, tools, messages: messages(other) } };
}

function bothRequests(a: LoadedTrace, at: number | undefined, b: LoadedTrace, bt: number | undefined): Requests | undefined {
  const [left, right] = [requestAt(a, at), requestAt(b, bt)];
  return left && right ? { recorded: left, replayed: right } : undefined;
}

function requestAt({ events }: LoadedTrace, index: number | undefined): RebuiltRequest | undefined {
  if (index === undefined || events[index]?.t !== "model.request") return undefined;
  const rebuilder = createRequestRebuilder();
  let request: RebuiltRequest | undefined;
  for (const event of events.slice(0, index + 1)) request = rebuilder.add(event) ?? request;
  return request;
}

function turnAt(a: LoadedTrace, at: number | undefined, b: LoadedTrace, bt: number | undefined): number {
  const turns = createTurnCounter();
  for (const event of at === undefined ? b.events.slice(0, (bt ?? 0) + 1) : a.events.slice(0, at + 1)) turns.see(event);
  return turns.turn();
}
