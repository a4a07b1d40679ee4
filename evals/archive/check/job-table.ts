import { z } from "zod";
import type { JsonObject } from "../../../harness/json.ts";
import { compare } from "../../compare/compare.ts";
import type { JobLock } from "../../job/job-lock.ts";
import { summarize, tooManyUnscored } from "../../job/results/job-result.ts";
import type { TrialRecord } from "../../trial/trial-record.ts";

/** What a job comes to. */
export interface JobTable {
  readonly trials: number;
  readonly recorded: number;
  readonly unscored: number;
  readonly invalid: boolean;
  readonly configurations: readonly ReturnType<typeof summarize>[];
  /** Of all attempts that are kept; null where one is unknown. */
  readonly spentUsd: number | null;
  /** Every number of `forge compare`. */
  readonly comparison: Omit<ReturnType<typeof compare>, "jobs">;
}

/**
 * Computes a job's numbers again, from its lock and its records alone.
 * @param records one a trial; `attempts` are those of all attempts
 */
export function jobTable(lock: JobLock, records: readonly TrialRecord[], attempts: readonly TrialRecord[]): JobTable {
  const trials = Object.keys(lock.tasks).length * Object.keys(lock.configurations).length * lock.repeats;
  const unscored = records.filter(({ passed }) => passed === null).length;
  const configurations = Object.entries(lock.configurations).map(([configuration, { harnessHash, model }]) => {
    const own = (all: readonly TrialRecord[]): TrialRecord[] => all.filter((record) => record.configuration === configuration);
    const tried = own(records);
    // A model may turn out to be simulated by what its server signs with, as `job-state.ts` tells it.
    const simulated = (model.simulated ?? false) || tried.some((record) => record.simulated);
    const arm = { configuration, harnessHash, model: `${model.provider}/${model.name}`, simulated };
    return summarize(arm, tried, own(attempts).filter(({ class: kind }) => kind === "infra").length);
  });
  const { jobs: _, ...comparison } = compare([{ folder: "", lock, records }]);
  const spentUsd = attempts.reduce<number | null>((sum, { costUsd }) => (sum === null || costUsd === null ? null : sum + costUsd), 0);
  return {
    trials,
    recorded: records.length,
    unscored,
    invalid: tooManyUnscored(unscored, lock.untilDecided ? records.length : trials),
    configurations,
    spentUsd,
    comparison,
  };
}

/** As it stands in a file. */
export function asJson(table: JobTable): JsonObject {
  return z.record(z.string(), z.json()).parse(JSON.parse(JSON.stringify(table)));
}

/** Where two values of JSON differ first, as `configurations.0.passed: 3 and 4`; numbers may differ in their last digits. Undefined: nowhere. */
export function firstDifference(a: unknown, b: unknown, at = ""): string | undefined {
  if (typeof a === "number" && typeof b === "number" && Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))) return undefined;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null || Array.isArray(a) !== Array.isArray(b))
    return a === b ? undefined : `${at || "the whole"}: ${shown(a)} and ${shown(b)}`;
  const [x, y] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  for (const key of new Set([...x.keys(), ...y.keys()])) {
    const found = firstDifference(x.get(key), y.get(key), at === "" ? key : `${at}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value).slice(0, 60));
