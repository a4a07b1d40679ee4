import type { BenchRequest } from "../evals/bench-request.ts";
import { plan } from "../evals/compare/plan.ts";
import { plural } from "../reports/terminal/format.ts";

const names = { ablation: "Ablation", sweep: "Sweep", first: "Every configuration with the first" } as const;

/** Before the arms of a study are measured: how many trials that makes, and what so many comparisons on so many tasks could see. */
export function announceStudy({ study, configurations, suite, repeats }: BenchRequest): void {
  if (study === undefined) return;
  const [arms, tasks] = [configurations.length, suite.tasks.length];
  const { detectable } = plan({ tasks, repeats, configurations: study.pairs.length + 1 }).asked;
  process.stderr.write(
    `${names[study.kind]}: ${plural(arms, "configuration")} × ${plural(tasks, "task")} × ${plural(repeats, "repeat")} = ${plural(arms * tasks * repeats, "trial")}; ` +
      `${plural(study.pairs.length, "comparison")}, corrected for by Holm: a difference under ${(detectable * 100).toFixed(0)} points will hardly be seen${tasks < 15 ? ", and under 15 tasks nothing is decided" : ""} (forge compare plan).\n`,
  );
}
