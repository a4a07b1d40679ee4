import { compare } from "../evals/compare/compare.ts";
import { plan } from "../evals/compare/plan.ts";
import { jsonLine } from "../reports/terminal/json-line.ts";
import { describePlan } from "../reports/terminal/plan.ts";
import { loadNamedJob } from "./comparison-sources.ts";

export interface PlanFlags {
  readonly tasks: number;
  readonly repeats: number;
  readonly configurations: number;
  /** A share. */
  readonly difference?: number;
  readonly json?: boolean;
}

/** Carries out `forge compare plan`. */
export async function planComparison(jobs: readonly string[], o: PlanFlags): Promise<void> {
  const past = jobs.length > 0 ? compare(await Promise.all(jobs.map(loadNamedJob))) : undefined;
  const planned = plan(o, past);
  process.stdout.write(o.json ? `${jsonLine(planned)}\n` : `${describePlan(planned)}\n`);
}
