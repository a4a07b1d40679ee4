import { draw } from "../draw.ts";
import { fits } from "./draw-faults.ts";
import type { Fault } from "./fault-kinds.ts";
import type { Plan } from "../plan.ts";

/**
 * One fault for each run, as evenly as the plans allow: in every round of as many runs as there are faults each comes once, in an order drawn from
 * the seed; what does not fit a run's plan waits for the next one that it fits. A run that none fits gets undefined.
 */
export function assignFaults(plans: readonly Plan[], faults: readonly Fault[], seed: number): (Fault | undefined)[] {
  let round = 0;
  const bag: Fault[] = [];
  return plans.map((plan) => {
    let at = bag.findIndex((fault) => fits(fault, plan));
    if (at < 0) {
      const drawn = round++;
      const fresh = faults.map((fault) => ({ fault, by: draw("round", seed, drawn, fault) })).sort((a, b) => a.by - b.by);
      bag.push(...fresh.map(({ fault }) => fault));
      at = bag.findIndex((fault) => fits(fault, plan));
    }
    return at < 0 ? undefined : bag.splice(at, 1)[0];
  });
}
