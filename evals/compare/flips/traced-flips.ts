import { join } from "node:path";
import type { TornTail } from "../../../traces/read/torn-tail.ts";
import type { AnyArm, AnyTrial } from "../../arms/arm.ts";
import type { Flip } from "../compare-arms.ts";
import type { Parting } from "./parting.ts";

/** A task that one arm passes more often than the other, with one run of each that shows it. */
export interface TracedFlip extends Flip {
  /** Passed of scored trials of each; null where rewards lie between 0 and 1. */
  readonly passed: { readonly a: readonly [number, number]; readonly b: readonly [number, number] } | null;
  /** Folders of the runs; null where none fits. */
  readonly runA: string | null;
  readonly runB: string | null;
  /** Filled in by who reads the traces; null where they do not part or cannot be read. */
  readonly parting: Parting | null;
  /** What their traces lost behind the last whole event, where one did: they may part there. */
  readonly torn?: { readonly a: LostTail | null; readonly b: LostTail | null };
}

/** `writing`: the run still goes on, and the line may get its end. */
export interface LostTail extends TornTail {
  readonly writing?: true;
}

/** The tasks that changed, each with the first repeat in which it shows: one arm high, the other low; else their best and worst runs. */
export function tracedFlips(a: AnyArm, b: AnyArm, flips: readonly Flip[]): TracedFlip[] {
  return flips
    .filter(({ change }) => change !== "same")
    .map((flip) => {
      const [inA, inB] = [scored(a.tasks.get(flip.task)), scored(b.tasks.get(flip.task))];
      const sign = flip.change === "fixed" ? 1 : -1;
      const score = (trial: AnyTrial | undefined): number => trial?.record.score ?? 0;
      const beside = inA.map((trial) => ({ trial, other: inB.find(({ record }) => record.repeat === trial.record.repeat) }));
      const shown = beside.find(({ trial, other }) => other && sign * (score(other) - score(trial)) > 0);
      const low = (trials: readonly AnyTrial[]): AnyTrial | undefined => trials.toSorted((x, y) => score(x) - score(y))[0];
      const high = (trials: readonly AnyTrial[]): AnyTrial | undefined => trials.toSorted((x, y) => score(y) - score(x))[0];
      const [runA, runB] = shown ? [shown.trial, shown.other] : sign > 0 ? [low(inA), high(inB)] : [high(inA), low(inB)];
      return { ...flip, passed: passedOf(inA, inB), runA: placeOf(runA), runB: placeOf(runB), parting: null };
    });
}

const scored = (trials: readonly AnyTrial[] = []): AnyTrial[] => trials.filter(({ record }) => record.score !== null);

function passedOf(inA: readonly AnyTrial[], inB: readonly AnyTrial[]): TracedFlip["passed"] {
  if ([...inA, ...inB].some(({ record }) => record.score !== 0 && record.score !== 1)) return null;
  const of = (trials: readonly AnyTrial[]): [number, number] => [trials.filter(({ record }) => record.score === 1).length, trials.length];
  return { a: of(inA), b: of(inB) };
}

const placeOf = (trial: AnyTrial | undefined): string | null =>
  trial === undefined || trial.record.trace === null ? null : join(trial.folder, trial.record.trace);
