import type { ImportedRuns } from "../imported/imported-runs.ts";
import { freeName, modelNotTold } from "../imported/gather-arms.ts";
import type { AnyArm } from "../arms/arm.ts";
import type { FinishedJob } from "../job/results/load-job.ts";

/** Why results of other runners measure different things, as far as they tell: two contents of one task. */
export function importedNotComparable(imported: readonly ImportedRuns[]): string | undefined {
  const known = new Map<string, { digest: string; place: string }>();
  for (const { digests, place } of imported) {
    for (const [task, seen] of digests) {
      for (const digest of seen) {
        const [scheme] = digest.split(" ", 1);
        const key = `${scheme} ${task}`;
        const before = known.get(key);
        if (before === undefined) known.set(key, { digest, place });
        else if (before.digest !== digest)
          return before.place === place
            ? `${place} has two contents of task ${task}`
            : `${before.place} and ${place} differ in the content of task ${task}`;
      }
    }
  }
  return undefined;
}

/** Of two arms of the same name the later gets its model added where that tells them apart, else its folder, and a number where that is not enough. */
export function distinctNames(arms: readonly AnyArm[]): AnyArm[] {
  const taken = new Set<string>();
  return arms.map((arm) => {
    const twins = arms.filter((one) => one.configuration === arm.configuration && one.model === arm.model);
    const byModel = twins.length === 1 && arm.model !== modelNotTold ? `${arm.configuration} ${arm.model}` : undefined;
    return { ...arm, name: freeName(taken, [arm.name, byModel, `${arm.name} (${arm.jobs.join(", ")})`]) };
  });
}

/** What the results do not say, each once; and what a comparison across runners cannot know. */
export function notKnownOf(jobs: readonly FinishedJob[], imported: readonly ImportedRuns[]): string[] {
  if (imported.length === 0) return [];
  const runners = new Set([...(jobs.length > 0 ? ["forge"] : []), ...imported.map(({ format }) => format)]);
  return [
    ...new Set(imported.flatMap(({ notKnown }) => notKnown)),
    ...(runners.size > 1 ? ["tasks of different runners are matched by name, and limits, verification and machines may differ"] : []),
    "repeats are taken for independent: without recorded replies, identical ones cannot be recognised",
  ];
}

/** Why no verdict rests on what these runs have so far, with the cure; undefined where all have come to their ends. */
export function importedNotEnded(imported: readonly ImportedRuns[]): string | undefined {
  const [open] = imported.flatMap(({ unfinished = [] }) => unfinished);
  if (open === undefined) return undefined;
  return `${open}; let the run come to its end and compare again`;
}
