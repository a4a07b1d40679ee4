import { evidenceSchemas, type RunEvent } from "../../harness/events/schema.ts";
import { sha256 } from "../../harness/events/hash.ts";
import type { JsonObject } from "../../harness/json.ts";
import type { LoadedTrace } from "../read/load-trace.ts";
import { createRequestRebuilder, type RebuiltRequest } from "../read/rebuild-requests.ts";
import { firstHash } from "../record/line.ts";
import { describeDivergence, type Divergence } from "./divergence.ts";
import { createTurnCounter } from "./turn-counter.ts";

/** Where two runs part. */
export interface Bisection {
  /** Equal digests everywhere: the same run, event by event. */
  readonly identical: boolean;
  /** The first event that differs in more than what never is the same twice (times, which trial it was and its seed); undefined: none does. */
  readonly divergence: Divergence | undefined;
  /** Sequence number in each, where it is there. */
  readonly seq: { readonly a: number | undefined; readonly b: number | undefined };
  /** Events of all lanes that both have before they part, and digests that were looked at to find the place. */
  readonly same: number;
  readonly probes: number;
}

/**
 * The first divergent step of two runs, by binary search on the digests of their lanes: a lane's digest covers all before it, so two lanes agree up
 * to some ordinal and never again. Of several lanes that part, the one that did so first in `a` counts.
 */
export function bisect(a: LoadedTrace, b: LoadedTrace): Bisection {
  const exact = part(digests(a, recorded), digests(b, recorded));
  if (exact.first === undefined)
    return { identical: true, divergence: undefined, seq: { a: undefined, b: undefined }, same: exact.same, probes: exact.probes };
  // two live runs never take equally long, so what was recorded differs from the first reply on; what was said and done may not
  const said = part(digests(a, timeless), digests(b, timeless));
  const { first, same } = said;
  const probes = exact.probes + said.probes;
  if (!first) return { identical: false, divergence: undefined, seq: { a: undefined, b: undefined }, same, probes };
  const [at, bt] = [first.a, first.b];
  const requests = bothRequests(a, at, b, bt);
  const sides = { recorded: eventAt(a, at), replayed: eventAt(b, bt), seq: at === undefined ? undefined : a.lines[at]?.seq };
  const described = describeDivergence({ ...sides, ...(requests ? { requests } : {}) });
  const divergence = { ...described, what: whatDiffers(described, sides), turn: turnAt(a, at, b, bt) };
  return { identical: false, divergence, seq: { a: sides.seq, b: bt === undefined ? undefined : b.lines[bt]?.seq }, same, probes };
}

/** Of two runs neither is a replay of the other. */
function whatDiffers(
  { at, what }: Divergence,
  { recorded: one, replayed: other }: { recorded: RunEvent | undefined; replayed: RunEvent | undefined },
): string {
  return one?.t === other?.t ? what : `At ${at} the first run has ${one?.t ?? "nothing more"}, the second ${other?.t ?? "nothing more"}.`;
}

/** For each lane, the index of each of its events and the digest up to it. */
type Lanes = ReadonlyMap<string, { readonly index: number; readonly s: string }[]>;

function digests(trace: LoadedTrace, of: (event: RunEvent, o: { index: number; before: string; trace: LoadedTrace }) => string): Lanes {
  const lanes = new Map<string, { index: number; s: string }[]>();
  trace.events.forEach((event, index) => {
    if (Object.hasOwn(evidenceSchemas, event.t)) return;
    const lane = lanes.get(event.lane) ?? [];
    lanes.set(event.lane, lane);
    lane.push({ index, s: of(event, { index, before: lane.at(-1)?.s ?? firstHash, trace }) });
  });
  return lanes;
}

const recorded = (_: RunEvent, { index, trace }: { index: number; trace: LoadedTrace }): string => trace.lines[index]?.s ?? "";

/** Which trial it was, its seed, how long things took, what was cached and what that adds up to never are the same twice. */
const timeless = ({ t, lane, n, d }: RunEvent, { before }: { before: string }): string =>
  sha256(before, JSON.stringify([t, lane, n, withoutTimes(t, d)]));

function withoutTimes(t: RunEvent["t"], d: JsonObject): JsonObject {
  const { activeMs: _ms, meta: _meta, spent: _spent, seed: _seed, ...rest } = d;
  if (t === "model.response") {
    const { usage: _usage, costUsd: _cost, served: _served, ...said } = rest;
    return said;
  }
  if (t === "model.request") return { ...rest, hash: null }; // covers the seed; all else that it covers is there
  return t === "port.read" && d["port"] === "clock" ? { ...rest, result: null } : rest;
}

interface Parting {
  readonly first: { readonly a: number | undefined; readonly b: number | undefined } | undefined;
  readonly same: number;
  readonly probes: number;
}

function part(a: Lanes, b: Lanes): Parting {
  let first: Parting["first"];
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
    const found = { a: left[low]?.index, b: right[low]?.index };
    if (!first || order(found) < order(first)) first = found;
  }
  return { first, same, probes };
}

const order = ({ a, b }: NonNullable<Parting["first"]>): number => Math.min(a ?? Number.POSITIVE_INFINITY, b ?? Number.POSITIVE_INFINITY);

/** As it is compared: without what never is the same. */
function eventAt({ events }: LoadedTrace, index: number | undefined): RunEvent | undefined {
  const event = index === undefined ? undefined : events[index];
  return event && { ...event, d: withoutTimes(event.t, event.d) };
}

function bothRequests(a: LoadedTrace, at: number | undefined, b: LoadedTrace, bt: number | undefined) {
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
