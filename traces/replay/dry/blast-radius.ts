import type { DryRun, DryTrigger } from "./dry-run.ts";

/** Runs by what their verifier said. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly unknown: number;
}
type Counter = { -readonly [K in keyof Tally]: number };

/** What a configuration would have changed in a corpus, in two views. */
export interface BlastRadius {
  readonly runs: Tally;
  /** Runs whose requests, or anything else the harness makes, would part from the recording. */
  readonly requests: {
    readonly changed: Tally;
    readonly first: Range | undefined;
    readonly classes: Readonly<Record<string, number>>;
    /** Runs in which that cannot be known: before anything differs, a middleware asks what the recording has no answer to. */
    readonly notKnown: Tally;
    /** Those runs by the middleware that asks first. */
    readonly asks: Readonly<Record<string, number>>;
  };
  /** One for each changed middleware, and for each that is gone. */
  readonly triggers: readonly MiddlewareRadius[];
  /** At most ten: of each run its best, and the next best where fewer runs have one. */
  readonly telling: readonly TellingPlace[];
}
interface Range {
  /** Turn of the main lane, from 1. */
  readonly earliest: number;
  readonly median: number;
}
export interface MiddlewareRadius {
  readonly name: string;
  /** Runs that were asked about it: the recording has not this very middleware. */
  readonly watched: Tally;
  readonly fires: Tally;
  /** Runs in which it does not act where that can be told, but asked what the recording has no answer to, or another one threw. */
  readonly notKnown: Tally;
  /** Places in all runs, by effect. */
  readonly places: Readonly<Record<string, number>>;
  readonly first: Range | undefined;
  /** Runs in which the recorded middleware of this name acted. */
  readonly before: Tally;
  /** Phases left out because it asked what the recording cannot answer; runs in which it threw. */
  readonly unanswered: number;
  readonly threw: number;
  /** What it threw in the first of these. */
  readonly error?: string;
}
export interface TellingPlace extends DryTrigger {
  readonly run: string;
  readonly task: string | undefined;
  readonly passed: boolean | undefined;
}

const kept = 10;
const weight: Readonly<Record<DryTrigger["effect"], number>> = { block: 4, resume: 3, inject: 2, change: 1, note: 0 };

/** Adds up runs one by one; memory grows with the number of runs by two numbers each. */
export function createBlastRadius(): { add(run: string, dry: DryRun): void; result(): BlastRadius } {
  const runs = counter();
  const changed = counter();
  const notKnown = counter();
  const asks: Record<string, number> = {};
  const classes: Record<string, number> = {};
  const firstChange: number[] = [];
  const middlewares = new Map<string, Counting>();
  let telling: TellingPlace[] = [];
  let further: TellingPlace[] = [];
  const of = (name: string): Counting => {
    const known = middlewares.get(name) ?? counting();
    middlewares.set(name, known);
    return known;
  };
  return {
    add(run, dry) {
      const { passed, task } = dry;
      const side = sideOf(passed);
      runs[side]++;
      if (dry.divergence) {
        changed[side]++;
        firstChange.push(dry.divergence.turn ?? 1);
        classes[dry.divergence.class] = (classes[dry.divergence.class] ?? 0) + 1;
      }
      if (dry.notKnown) {
        notKnown[side]++;
        const asker = dry.notKnown.middleware ?? "the harness";
        asks[asker] = (asks[asker] ?? 0) + 1;
      }
      for (const [name, acts] of Object.entries(dry.before)) if (acts > 0) of(name).before[side]++;
      for (const name of dry.watched) {
        const one = of(name);
        one.watched[side]++;
        const fired = dry.triggers.filter(({ middleware, effect }) => middleware === name && effect !== "note");
        for (const { effect } of fired) one.places[effect] = (one.places[effect] ?? 0) + 1;
        if (fired[0]) {
          one.fires[side]++;
          one.first.push(fired[0].turn);
        }
        const threw = dry.error?.includes(`"${name}"`) === true;
        const unanswered = dry.unanswered[name] ?? 0;
        one.unanswered += unanswered;
        if (!fired[0] && !threw && (unanswered > 0 || dry.error !== undefined)) one.notKnown[side]++;
        if (threw) {
          one.threw++;
          if (dry.error !== undefined) one.error ??= dry.error;
        }
      }
      // of each run its most telling place first: ten of one run would say less
      const places = dry.triggers
        .filter(({ effect, already }) => effect !== "note" && !already)
        .toSorted((a, b) => weight[b.effect] - weight[a.effect] || a.seq - b.seq)
        .slice(0, kept)
        .map((place) => ({ ...place, run, task, passed }));
      telling = [...telling, ...places.slice(0, 1)].toSorted(byWeight).slice(0, kept);
      further = [...further, ...places.slice(1)].toSorted(byWeight).slice(0, kept);
    },
    result: () => ({
      runs,
      requests: { changed, first: rangeOf(firstChange), classes, notKnown, asks },
      triggers: [...middlewares].map(([name, { first, ...one }]) => ({ name, ...one, first: rangeOf(first) })),
      telling: [...telling, ...further.slice(0, kept - telling.length)],
    }),
  };
}

interface Counting {
  readonly watched: Counter;
  readonly fires: Counter;
  readonly notKnown: Counter;
  readonly before: Counter;
  readonly places: Record<string, number>;
  readonly first: number[];
  unanswered: number;
  threw: number;
  error?: string;
}
const counter = (): Counter => ({ passed: 0, failed: 0, unknown: 0 });
const counting = (): Counting => ({
  watched: counter(),
  fires: counter(),
  notKnown: counter(),
  before: counter(),
  places: {},
  first: [],
  unanswered: 0,
  threw: 0,
});

const sideOf = (passed: boolean | undefined): keyof Tally => (passed === undefined ? "unknown" : passed ? "passed" : "failed");

/** A failed run may be helped, a passed one may be harmed; what blocks says more than what tells; what comes early changes more. */
function byWeight(a: TellingPlace, b: TellingPlace): number {
  const of = ({ passed, effect }: TellingPlace): number => (passed === false ? 10 : passed === true ? 5 : 0) + weight[effect];
  return of(b) - of(a) || a.turn - b.turn || (a.run === b.run ? a.seq - b.seq : a.run < b.run ? -1 : 1);
}

function rangeOf(turns: readonly number[]): Range | undefined {
  const sorted = turns.toSorted((a, b) => a - b);
  const [earliest] = sorted;
  return earliest === undefined ? undefined : { earliest, median: sorted[Math.floor((sorted.length - 1) / 2)] ?? earliest };
}
