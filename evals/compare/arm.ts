import { ConfigError } from "../../harness/errors.ts";
import type { TrialRecord } from "../trial-record.ts";
import type { FinishedJob } from "./load-job.ts";

/** What was measured of one configuration: its trials by task. */
export interface Arm {
  readonly name: string;
  readonly harnessHash: string;
  readonly model: string;
  readonly simulated: boolean;
  readonly tasks: ReadonlyMap<string, readonly TrialRecord[]>;
  /** Trials that came twice (a job given twice, or one that a model repeats word for word) and count once. */
  readonly countedOnce: number;
}

/** How a trial without a score counts: left out, or as a failure. A verdict must hold both ways. */
export type InfraReading = "excluded" | "failed";

/**
 * The arms of one job or several, in the order in which they were asked for. With `pool` the same configuration in two jobs is one arm, which is
 * right only for jobs that can be compared; of two arms of the same name the later gets its job's folder added.
 */
export function armsOf(jobs: readonly FinishedJob[], o: { pool: boolean }): Arm[] {
  const arms = new Map<string, { name: string; hash: string; model: string; records: TrialRecord[] }>();
  for (const job of jobs) {
    for (const name of Object.keys(job.lock.configurations)) {
      const { harnessHash, model, modelHash } = job.lock.configurations[name] ?? {};
      if (harnessHash === undefined || model === undefined || modelHash === undefined) continue;
      const key = `${harnessHash} ${modelHash} ${job.lock.agent}${o.pool ? "" : ` ${job.folder}`}`;
      const taken = [...arms.values()].some((arm) => arm.name === name) && !arms.has(key);
      const arm = arms.get(key) ?? {
        name: taken ? `${name} (${job.folder})` : name,
        hash: harnessHash,
        model: `${model.provider}/${model.name}`,
        records: [],
      };
      arm.records.push(...job.records.filter((record) => record.configuration === name));
      arms.set(key, arm);
    }
  }
  return [...arms.values()].map(({ name, hash, model, records }) => ({
    name,
    harnessHash: hash,
    model,
    simulated: records.some((record) => record.simulated),
    ...byTask(records),
  }));
}

/** Two records of one trial (the same key) are two observations when the model said something else, else one. */
function byTask(records: readonly TrialRecord[]): Pick<Arm, "tasks" | "countedOnce"> {
  const tasks = new Map<string, TrialRecord[]>();
  const seen = new Set<string>();
  for (const record of records) {
    const said = `${record.key} ${record.replyDigest ?? record.startedAt}`;
    if (seen.has(said)) continue;
    seen.add(said);
    tasks.set(record.task, [...(tasks.get(record.task) ?? []), record]);
  }
  return { tasks, countedOnce: records.length - seen.size };
}

/** The scores of one cell. Repeats that say the very same are one observation: identical replies are no independent evidence. */
export function scoresOf(records: readonly TrialRecord[], reading: InfraReading): number[] {
  const scores = records.flatMap(({ score }) => (score === null ? (reading === "failed" ? [0] : []) : [score]));
  const [first] = records;
  const identical =
    records.length > 1 &&
    first?.replyDigest !== null &&
    records.every((record) => record.replyDigest === first?.replyDigest && record.score === first.score);
  return identical ? scores.slice(0, 1) : scores;
}

/** Picks the arm that `--baseline` names; the first where it names none. */
export function baselineOf(arms: readonly Arm[], name: string | undefined): Arm {
  const arm = name === undefined ? arms[0] : arms.find((one) => one.name === name);
  if (!arm)
    throw new ConfigError(`--baseline: there is no configuration "${String(name)}"; there are ${arms.map((one) => one.name).join(", ")}.`);
  return arm;
}
