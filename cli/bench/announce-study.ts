import type { BenchRequest } from "../../evals/bench/bench-request.ts";
import { plan } from "../../evals/compare/plan-comparison.ts";
import { fewest } from "../../evals/statistics/family-means.ts";
import { wholeFamilies } from "../../evals/study/stopping-rule.ts";
import { withFirst } from "../../evals/study/study.ts";
import { plural } from "../../reports/text/format.ts";

const names = { ablation: "Ablation", sweep: "Sweep", first: "Until decided" } as const;

/** Before the arms of a study are measured: how many trials that makes, and what so many comparisons on so many tasks could see. */
export function announceStudy({ study: given, untilDecided = false, configurations, suite, repeats }: BenchRequest): void {
  const study = given ?? (untilDecided ? withFirst(configurations.map(({ name }) => name)) : undefined);
  if (study === undefined || study.pairs.length === 0) return;
  const [arms, tasks] = [configurations.length, suite.tasks.length];
  const families = wholeFamilies(suite.tasks).length;
  const inFamilies = families < tasks;
  const { detectable } = plan({
    tasks,
    ...(inFamilies ? { families } : {}),
    repeats,
    configurations: study.pairs.length + 1,
  }).asked;
  const size = `${plural(arms, "configuration")} × ${plural(tasks, "task")} × ${plural(repeats, "repeat")} = ${plural(arms * tasks * repeats, "trial")}`;
  const together = study.pairs.length > 1 ? ", corrected for by Holm" : "";
  const few =
    tasks < fewest.tasks || families < fewest.families
      ? `, and under ${fewest.tasks} tasks${inFamilies ? ` or ${fewest.families} families` : ""} nothing is decided`
      : "";
  process.stderr.write(
    `${names[study.kind]}: ${size}${untilDecided ? " at most" : ""}; ${plural(study.pairs.length, "comparison")}${together}: a difference under ${(detectable * 100).toFixed(0)} points will hardly be seen${few} (forge compare plan).\n` +
      (untilDecided
        ? `It looks after every ${inFamilies ? `whole family, from ${fewest.tasks} tasks and ${fewest.families} families on` : `task from the ${fewest.tasks}th on`}, which costs some of that sight, and stops when all is decided.\n`
        : ""),
  );
}
