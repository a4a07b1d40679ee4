import type { Arm } from "./arm.ts";
import type { FinishedJob } from "./load-job.ts";
import { tooManyUnscored } from "../job/job-result.ts";

/** What the arms were measured under and a reader should know when it differs. Each a sentence without its full stop. */
export function conditionsThatDiffer(arms: readonly Arm[]): string[] {
  const of = (what: string, value: (arm: Arm) => string): string[] => {
    const values = arms.map((arm) => ({ name: arm.name, value: value(arm) }));
    return new Set(values.map((one) => one.value)).size > 1
      ? [`${what}: ${values.map((one) => `${one.name} ${one.value}`).join(", ")}`]
      : [];
  };
  const loads = arms.map((arm) => mean(recordsOf(arm).map(({ load }) => load.average)));
  const [low, high] = [Math.min(...loads), Math.max(...loads)];
  return [
    ...of("Forge's version", (arm) => arm.forgeVersion),
    ...of("trials at a time", (arm) => listed(recordsOf(arm).map(({ load }) => String(load.jobs)))),
    ...of("cores", (arm) => listed(recordsOf(arm).map(({ load }) => String(load.cpus)))),
    ...(high > 1 && high > 1.5 * low
      ? of("load of the machine, mean", (arm) => mean(recordsOf(arm).map(({ load }) => load.average)).toFixed(1))
      : []),
    ...sameModel(arms, of),
    ...of("price table", (arm) => listed(recordsOf(arm).map(({ priceTable }) => priceTable ?? "none"))),
  ];
}

type Of = (what: string, value: (arm: Arm) => string) => string[];

/** Of arms with one model: another server's flags or weights behind the same name. */
function sameModel(arms: readonly Arm[], of: Of): string[] {
  if (new Set(arms.map((arm) => arm.model)).size > 1) return [];
  const servers = (arm: Arm): string =>
    listed(recordsOf(arm).map(({ modelIdentity, servedModel }) => modelIdentity.fingerprint ?? servedModel ?? "unnamed"));
  const found = of("fingerprint of the server", servers);
  return found.length > 0 ? found : of("sampling or context of the model (hash)", (arm) => arm.modelHash.slice(0, 12));
}

/** What makes a job less than it was asked to be. */
export function shortcomings(jobs: readonly FinishedJob[]): string[] {
  return jobs.flatMap(({ folder, lock, records }) => {
    const asked = Object.keys(lock.tasks).length * Object.keys(lock.configurations).length * lock.repeats;
    const unscored = records.filter(({ score }) => score === null).length;
    return [
      ...(records.length < asked ? [`${folder} is not finished: ${records.length} of ${asked} trials have a result`] : []),
      ...(tooManyUnscored(unscored, records.length)
        ? [`${folder} is invalid: ${unscored} of ${records.length} trials have no score, more than one and 2 %`]
        : []),
    ];
  });
}

const recordsOf = (arm: Arm): FinishedJob["records"] => [...arm.tasks.values()].flat().map(({ record }) => record);
const listed = (values: readonly string[]): string => [...new Set(values)].toSorted().join("/");
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
