import type { AnyArm, Circumstances } from "../arms/arm.ts";
import type { FinishedJob } from "../job/results/load-job.ts";
import { looksOf } from "./sequential/sequential-difference.ts";
import { tooManyUnscored } from "../job/results/job-result.ts";

/** What the arms were measured under and a reader should know when it differs. Each a sentence without its full stop. */
export function conditionsThatDiffer(arms: readonly AnyArm[]): string[] {
  const of: Of = (what, value, among = arms) => {
    const values = among.map((arm) => ({ name: arm.name, value: value(arm) }));
    return new Set(values.map((one) => one.value)).size > 1
      ? [`${what}: ${values.map((one) => `${one.name} ${one.value}`).join(", ")}`]
      : [];
  };
  if (arms.some((arm) => arm.circumstances === null))
    // the others' circumstances are not known
    return of("runner", (arm) => (arm.circumstances === null ? arm.measuredBy : `${arm.measuredBy} ${arm.forgeVersion}`));
  const under = (arm: AnyArm): Circumstances => arm.circumstances ?? nowhere;
  const loads = arms.map((arm) => under(arm).load);
  const [low, high] = [Math.min(...loads), Math.max(...loads)];
  return [
    ...of("Forge's version", (arm) => arm.forgeVersion),
    ...of("trials at a time", (arm) => listed(under(arm).trialsAtATime)),
    ...of("cores", (arm) => listed(under(arm).cpus)),
    ...(high > 1 && high > 1.5 * low ? of("load of the machine, mean", (arm) => under(arm).load.toFixed(1)) : []),
    ...sameModel(arms, of, under),
    ...of("price table", (arm) => listed(under(arm).priceTables)),
  ];
}

type Of = (what: string, value: (arm: AnyArm) => string, among?: readonly AnyArm[]) => string[];

/** Of arms with one model: another server's flags or weights behind the same name. */
function sameModel(arms: readonly AnyArm[], of: Of, under: (arm: AnyArm) => Circumstances): string[] {
  if (new Set(arms.map((arm) => arm.model)).size > 1) return [];
  const servers = (arm: AnyArm): string => listed(under(arm).servers);
  const found = of("fingerprint of the server", servers);
  if (found.length > 0) return found;
  const agents = [...new Set(arms.map((arm) => arm.agent))]; // each samples as it likes
  return agents.flatMap((agent) =>
    of(
      "sampling or context of the model (hash)",
      (arm) => arm.modelHash.slice(0, 12),
      arms.filter((arm) => arm.agent === agent),
    ),
  );
}

/** So many trials are named that a regrade left out; the others are in its `regrade.json`. */
const mostNamed = 20;

/** What a regrade left out: tasks, and trials of others. Each a sentence without its full stop. */
function leftOutOf({ folder, regrade }: FinishedJob): string[] {
  if (!regrade) return [];
  const { leftOut: tasks = [], trials } = regrade;
  const gone = new Set(tasks.map(({ task }) => task));
  const others = trials.filter(({ task, how }) => how === "left-out" && !gone.has(task));
  const clause = (why: string): string => why.replace(/\.$/, "");
  return [
    ...tasks.map(({ task, reason }) => `${folder} is without task ${task}, which could not be verified again: ${clause(reason)}`),
    ...others
      .slice(0, mostNamed)
      .map(
        ({ task, configuration, repeat, why }) =>
          `${folder} has no score of ${task}, ${configuration}, repeat ${repeat}, which could not be verified again: ${clause(why ?? "too little was kept")}`,
      ),
    ...(others.length > mostNamed
      ? [`${folder} has no score of ${others.length - mostNamed} trials more, which its regrade.json names`]
      : []),
  ];
}

/** What makes a job less than it was asked to be. */
export const shortcomings = (jobs: readonly FinishedJob[]): string[] =>
  jobs.flatMap((job) => [...unfinished(job), ...invalid(job), ...leftOutOf(job)]);

/** Those of them that leave it open what the whole would have shown. */
export const incomplete = (jobs: readonly FinishedJob[]): string[] => jobs.flatMap((job) => [...unfinished(job), ...invalid(job)]);

function unfinished(job: FinishedJob): string[] {
  const { folder, records } = job;
  const looks = looksOf(job);
  const open = looks ? looks.pairs.some(({ decision, tasks }) => !decision && tasks.length < looks.planned) : hasNotEnded(job);
  return open ? [`${folder} is not finished: ${records.length} of ${askedOf(job)} trials have a result`] : [];
}

function invalid({ folder, records }: FinishedJob): string[] {
  const unscored = records.filter(({ score }) => score === null).length;
  return tooManyUnscored(unscored, records.length)
    ? [`${folder} is invalid: ${unscored} of ${records.length} trials have no score, more than one and 2 %`]
    : [];
}

const askedOf = ({ lock }: FinishedJob): number => Object.keys(lock.tasks).length * Object.keys(lock.configurations).length * lock.repeats;

/** Still running, or broken off. Of a job that stops when decided the looks say what it has come to. */
const hasNotEnded = (job: FinishedJob): boolean => job.lock.untilDecided === undefined && job.records.length < askedOf(job);

/** Why no verdict rests on what these jobs have so far, with the cure; undefined where all have come to their ends. */
export function notEnded(jobs: readonly FinishedJob[]): string | undefined {
  const open = jobs.find(hasNotEnded);
  if (!open) return undefined;
  const cure = open.regrade ? "finish the job and run forge bench regrade again" : "run the same forge bench again to resume it";
  return `${open.folder} has ${open.records.length} of ${askedOf(open)} results; ${cure}`;
}

const nowhere: Circumstances = { cpus: [], trialsAtATime: [], load: 0, priceTables: [], servers: [] };
const listed = (values: readonly string[]): string => values.join("/");
