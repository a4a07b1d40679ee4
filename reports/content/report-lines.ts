import type { JobReport } from "../../evals/report/job-report.ts";
import { followedKinds, type Followed } from "../../evals/report/steps-after.ts";
import { orderGroups } from "../../evals/report/outcome-group.ts";
import { plural, unknown } from "../text/format.ts";
import { hints } from "./verdict-lines.ts";

/** A sandbox's name, with what its name does not say: `local` confines nothing. */
export const confinement = (sandbox: string): string => (sandbox === "local" ? "local, unconfined" : sandbox);

/** `16 tasks × 2 configurations × 3 repeats, sandbox docker, …`. */
export function setting({ comparison, repeats, agent, sandbox, modes, forgeVersions }: JobReport): string {
  const by = [...new Set(comparison.arms.map(({ measuredBy }) => measuredBy))].filter((runner) => runner !== "Forge");
  const own = [
    ...(agent === null
      ? []
      : [
          ...(agent === "configured" ? [] : [`agent ${agent}`]),
          `sandbox ${sandbox === null ? unknown : confinement(sandbox)}`,
          `${modes.join(" and ")} verification`,
          `Forge ${forgeVersions.join(" and ")}`,
        ]),
    ...(by.length > 0 ? [`measured by ${by.join(" and ")}`] : []),
    ...hints(comparison),
  ]
    .map((part) => `, ${part}`)
    .join("");
  const tasks = Math.max(0, ...comparison.arms.map((arm) => arm.tasks));
  return `${plural(tasks, "task")} × ${plural(comparison.arms.length, "configuration")} × ${plural(repeats, "repeat")}${own}`;
}

/** Trials by class and configuration: a row a class, in the order in which they are told. */
export function outcomeRows({ arms }: JobReport): { readonly outcome: string; readonly counts: readonly number[] }[] {
  const totals = new Map<string, number>();
  const byArm = arms.map(({ trials }) => {
    const counts = new Map<string, number>();
    for (const { outcome } of trials) {
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      totals.set(outcome, (totals.get(outcome) ?? 0) + 1);
    }
    return counts;
  });
  return orderGroups(totals).map((outcome) => ({ outcome, counts: byArm.map((counts) => counts.get(outcome) ?? 0) }));
}

/** `edited 12, same call again 3`, the most frequent first. */
export const followedLine = (followed: Readonly<Partial<Record<Followed, number>>>): string =>
  followedKinds
    .flatMap((kind) => ((followed[kind] ?? 0) > 0 ? [{ kind, times: followed[kind] ?? 0 }] : []))
    .toSorted((a, b) => b.times - a.times)
    .map(({ kind, times }) => `${kind} ${times}`)
    .join(", ");

/** Whose recorded interventions may lack the last. */
export const tornRuns = (runs: number): string =>
  `The traces of ${plural(runs, "run")} end in a torn line: what was done there last, and what followed it, is not known (forge traces list shows where).`;

/** What to type to see it again, each with what it does. */
export function reproduceSteps({ comparison, commands }: JobReport): { readonly command: string; readonly what: string }[] {
  const jobs = comparison.jobs.join(" ");
  return [
    ...commands.flatMap(({ job, command }) =>
      command === undefined ? [] : [{ command, what: `measures ${job} again, in a folder beside it` }],
    ),
    ...commands.map(({ job }) => ({ command: `forge replay ${job}`, what: "runs every recorded run again, exactly, without a model" })),
    { command: `forge compare ${jobs}`, what: "the comparison by itself" },
    { command: `forge report ${jobs} --html report.html`, what: "this page" },
  ];
}
