import { ConfigError } from "../../harness/errors.ts";
import { baselineOf, type AnyArm } from "../arms/arm.ts";
import type { FinishedJob } from "../job/results/load-job.ts";

/** Pairs of more arms are neither computed in a reasonable time nor read by anyone. */
export const maxArms = 200;

/**
 * Which arms are compared, baseline first. `jobs`: those that the arms were all measured in, whose study says so where nothing else does.
 * @throws ConfigError for a baseline that is none, and for more than `maxArms` arms without one
 */
export function pairsOf(
  arms: readonly AnyArm[],
  o: { readonly baseline?: string | undefined; readonly baselineJob?: string | undefined },
  jobs: readonly FinishedJob[] = [],
): [AnyArm, AnyArm][] {
  if (o.baselineJob !== undefined) return withJob(arms, o.baselineJob);
  const studied = o.baseline === undefined ? ofStudies(arms, jobs) : [];
  if (studied.length > 0) return studied;
  const baseline = baselineOf(arms, o.baseline);
  if (o.baseline !== undefined || arms.length === 2) return arms.filter((arm) => arm !== baseline).map((arm) => [baseline, arm]);
  if (arms.length > maxArms)
    throw new ConfigError(
      `There are ${arms.length} configurations, and every pair of at most ${maxArms} can be compared; name the one to compare with by --baseline, or fewer runs.`,
    );
  const all = arms.flatMap((a, i) => arms.slice(i + 1).map((b): [AnyArm, AnyArm] => [a, b]));
  return isGrid(arms) ? all.filter(([a, b]) => a.model === b.model) : all;
}

/**
 * The comparisons that the jobs' arms were made for, each once; an arm in none of them, such as a configuration that was added later, is held against the
 * first baseline. None where a job was not made for a study.
 */
function ofStudies(arms: readonly AnyArm[], jobs: readonly FinishedJob[]): [AnyArm, AnyArm][] {
  if (jobs.length === 0 || jobs.some(({ lock }) => lock.study === undefined)) return [];
  const pairs: [AnyArm, AnyArm][] = [];
  for (const { lock, folder } of jobs)
    for (const [a, b] of lock.study?.pairs ?? []) {
      const [x, y] = [a, b].map((name) => {
        const { harnessHash, modelHash } = lock.configurations[name] ?? {};
        return arms.find((arm) => arm.harnessHash === harnessHash && arm.modelHash === modelHash && arm.jobs.includes(folder));
      });
      if (x && y && x !== y && !pairs.some((pair) => pair.includes(x) && pair.includes(y))) pairs.push([x, y]);
    }
  const [first] = pairs;
  if (!first) return [];
  const alone = arms.filter((arm) => !pairs.some((pair) => pair.includes(arm)));
  return [...pairs, ...alone.map((arm): [AnyArm, AnyArm] => [first[0], arm])];
}

/** Each arm of the other jobs with the baseline job's arm of the same configuration, or with its only one. */
function withJob(arms: readonly AnyArm[], job: string): [AnyArm, AnyArm][] {
  const before = arms.filter((arm) => arm.jobs.includes(job));
  const now = arms.filter((arm) => !arm.jobs.includes(job));
  const [only] = before;
  return now.map((arm): [AnyArm, AnyArm] => {
    const named = before.find((one) => one.configuration === arm.configuration) ?? (before.length === 1 ? only : undefined);
    if (!named)
      throw new ConfigError(
        `--baseline: ${job} has no configuration "${arm.configuration}" to compare with; it has ${before.map((one) => one.configuration).join(", ")}. Name one of them instead of the job, or leave the others out.`,
      );
    return [named, arm];
  });
}

/** Two or more harnesses, each measured with the same two or more models. */
export function isGrid(arms: readonly AnyArm[]): boolean {
  const models = new Set(arms.map((arm) => arm.model));
  const harnesses = new Map<string, Set<string>>();
  for (const arm of arms) harnesses.set(arm.harnessHash, (harnesses.get(arm.harnessHash) ?? new Set()).add(arm.model));
  return models.size > 1 && harnesses.size > 1 && [...harnesses.values()].every((of) => of.size === models.size);
}
