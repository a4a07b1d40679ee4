import { join } from "node:path";
import type { Measured } from "../measure.ts";
import { describeSimulation } from "./describe-simulation.ts";
import { outcomeRates } from "./outcome-rates.ts";
import { promises, runSimulation } from "./run-simulation.ts";
import { groups, wanting } from "./scenarios.ts";
import { describeFamilies, familyPromises, runFamilies } from "./simulate-families.ts";

/** How often the verdicts are false, on 10,000 simulated comparisons a cell drawn from published outcomes. Some ten minutes on one core. */
export function measureStatistics(root: string, say: (line: string) => void): { measures: Measured[]; tables: string } {
  const rates = outcomeRates(join(root, "test", "fixtures", "outcomes", "terminal-bench-core-trials.csv"));
  const kept = runSimulation(groups, rates, 10_000, say);
  const tried = runSimulation(wanting, rates, 10_000, say);
  say("simulating: families …");
  const families = runFamilies(rates, 10_000);
  return {
    measures: [...promises(kept), ...familyPromises(families)],
    tables: `${describeSimulation([...kept, ...tried])}\n\n${describeFamilies(families)}`,
  };
}
