import { DamagedError } from "../../../harness/errors.ts";
import type { Json, JsonObject } from "../../../harness/json.ts";
import type { TrialPlace } from "../../trial/trial-place.ts";
import { isFinal } from "../../job/results/past-trial.ts";
import type { Study } from "../../study/study.ts";
import type { TrialRecord } from "../../trial/trial-record.ts";
import { followTrials, type CellOf, type Decision, type FollowedPair } from "./follow-trials.ts";
import type { StoppingRule } from "../../study/stopping-rule.ts";

/** The looks at a job that stops when its comparisons are decided. */
export interface DecisionWatch {
  /** The record that a trial was published with; answers what that decided. */
  add(record: TrialRecord): readonly Decision[];
  /** Decisions of earlier runs of the job. */
  readonly before: readonly Decision[];
  /** Whether a trial is still needed; and whether one that met only infrastructure errors may be tried again: not below a decision that rests on it. */
  wants(trial: TrialPlace): boolean;
  mayTryAgain(trial: TrialPlace): boolean;
  readonly pairs: readonly FollowedPair[];
}

/**
 * Takes up the looks where the published records left them. A trial without a score is tried again when a job goes on, as everywhere; but a decision
 * that was made stays, and so does what it rests on.
 * @param records published ones, of all runs of the job before this one
 */
export function watchDecisions(o: {
  readonly rule: StoppingRule;
  readonly study: Study;
  readonly repeats: number;
  readonly records: readonly TrialRecord[];
}): DecisionWatch {
  const place = new Map(o.rule.order.map((task, i) => [task, i]));
  const published = gather(o.records);
  const earlier = followTrials(o.rule, o.study, cellsOf(published, o.repeats));
  const before = earlier.advance();
  const settled = Math.max(0, ...before.map(({ pair }) => pair));
  const isSettled = ({ task }: { readonly task: string }): boolean => (place.get(task) ?? Infinity) < settled;
  const cells = gather(o.records.filter((record) => isFinal(record) || isSettled(record)));
  const looks = followTrials(o.rule, o.study, cellsOf(cells, o.repeats));
  looks.advance();
  return {
    before,
    pairs: looks.pairs,
    wants: ({ configuration }) => looks.needs(configuration),
    mayTryAgain: (trial) => !isSettled(trial),
    add(record) {
      put(cells, record);
      return looks.advance();
    },
  };
}

/** By task and configuration, a record a repeat. */
type Cells = Map<string, Map<number, TrialRecord>>;
const keyOf = (task: string, configuration: string): string => JSON.stringify([task, configuration]);

function gather(records: readonly TrialRecord[]): Cells {
  const cells: Cells = new Map();
  for (const record of records) put(cells, record);
  return cells;
}

function put(cells: Cells, record: TrialRecord): void {
  const key = keyOf(record.task, record.configuration);
  const cell = cells.get(key) ?? new Map<number, TrialRecord>();
  cells.set(key, cell.set(record.repeat, record));
}

function cellsOf(cells: Cells, repeats: number): CellOf {
  return (task, configuration) => {
    const cell = cells.get(keyOf(task, configuration));
    if (cell === undefined || cell.size < repeats) return undefined;
    return [...cell.values()].toSorted((x, y) => x.repeat - y.repeat).map((record) => ({ record, folder: "" }));
  };
}

/** The looks at trials that are already there, as `followTrials` had seen them while they ran. */
export function followRecords(o: {
  readonly rule: StoppingRule;
  readonly study: Study;
  readonly repeats: number;
  readonly records: readonly TrialRecord[];
}): readonly FollowedPair[] {
  const looks = followTrials(o.rule, o.study, cellsOf(gather(o.records), o.repeats));
  looks.advance();
  return looks.pairs;
}

/** A decision as the journal keeps it. */
export const decisionLine = (decision: Decision, ts: number): JsonObject => ({ t: "decision", ts, ...decision });

/**
 * The decisions that the journal lacks, because the runner ended between the record and the line.
 * @throws DamagedError where the journal knows of a decision that its trials do not come to
 */
export function unwritten(journal: string, past: readonly JsonObject[], decisions: readonly Decision[]): readonly Decision[] {
  const nameOf = (one: Readonly<Record<keyof Decision, Json>> | Decision): string => JSON.stringify([one.a, one.b, one.better, one.pair]);
  const written = new Set<string>();
  for (const line of past) {
    if (line["t"] !== "decision") continue;
    const { a = null, b = null, better = null, pair = null, task = null, eValue = null, threshold = null } = line;
    const name = nameOf({ a, b, better, pair, task, eValue, threshold });
    if (!decisions.some((decision) => nameOf(decision) === name))
      throw new DamagedError(
        `${journal} records that ${String(better)} was better of ${String(a)} and ${String(b)} at pair ${String(pair)}, and the job's trials do not come to that; restore them, or start the job in another folder with --out.`,
      );
    written.add(name);
  }
  return decisions.filter((decision) => !written.has(nameOf(decision)));
}
