import { compare, type Comparison } from "../../evals/compare/compare.ts";
import { plan } from "../../evals/compare/plan-comparison.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { describePlan } from "../../reports/terminal/comparison/comparison-plan.ts";
import { comparisonSources } from "../../evals/compare/comparison-sources.ts";
import type { PlanFlags } from "./options.ts";

/** Carries out `forge compare plan`. */
export async function planComparison(jobs: readonly string[], o: PlanFlags): Promise<void> {
  const planned = plan(o, jobs.length > 0 ? await pastComparison(jobs) : undefined);
  process.stdout.write(o.json ? `${jsonLine(planned)}\n` : `${describePlan(planned)}\n`);
}

async function pastComparison(places: readonly string[]): Promise<Comparison> {
  const { sources } = await comparisonSources(places, { baseline: undefined, format: undefined });
  return compare(sources.jobs, {}, sources.imported);
}
