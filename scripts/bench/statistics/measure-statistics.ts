import { join } from "node:path";
import type { Measured } from "../measure.ts";
import { describeSimulation } from "./describe-simulation.ts";
import { outcomeRates } from "./outcome-rates.ts";
import { promises, runSimulation } from "./run-simulation.ts";
import { groups, wanting } from "./scenarios.ts";

/** How often the verdicts are false, on 10,000 simulated comparisons a cell drawn from published outcomes. A few minutes on one core. */
export function measureStatistics(root: string, say: (line: string) => void): { measures: Measured[]; tables: string } {
  const rates = outcomeRates(join(root, "test", "fixtures", "outcomes", "terminal-bench-core-trials.csv"));
  const kept = runSimulation(groups, rates, 10_000, say);
  const tried = runSimulation(wanting, rates, 10_000, say);
  return { measures: promises(kept), tables: describeSimulation([...kept, ...tried]) };
}
