import { seededRandom } from "../../../harness/seeded-random.ts";
import type { Measured } from "../measure.ts";
import type { SimulatedGroup } from "./describe-simulation.ts";
import type { OutcomeRates } from "./outcome-rates.ts";
import type { Group } from "./scenarios.ts";
import { simulate } from "./simulate.ts";

/** Runs each scenario from a seed of its own, so that one added changes no other. Families of 20 are counted four times as often: they are few. */
export function runSimulation(
  groups: readonly Group[],
  rates: OutcomeRates,
  simulations: number,
  say: (line: string) => void,
): SimulatedGroup[] {
  return groups.map(({ scenarios, ...group }) => {
    say(`simulating: ${group.title} …`);
    const rows = scenarios.map((scenario) => {
      const seed = new TextEncoder().encode(JSON.stringify(scenario)).reduce((sum, byte) => (Math.imul(sum, 31) + byte) >>> 0, 1);
      return { scenario, result: simulate(scenario, rates, scenario.way === "reused" ? 4 * simulations : simulations, seededRandom(seed)) };
    });
    return { ...group, rows };
  });
}

/** The promises: false verdicts from 15 tasks on, and coverage from 24. */
export function promises(groups: readonly SimulatedGroup[]): Measured[] {
  const all = groups.flatMap(({ asks, rows }) => rows.map((row) => ({ asks, ...row })));
  const verdicts = all.filter(({ asks, scenario }) => asks === "false verdicts" && scenario.tasks >= 15);
  const covered = all.filter(({ asks, scenario }) => asks === "coverage" && scenario.tasks >= 24);
  const power = all.filter(
    ({ asks, scenario }) => asks === "power" && scenario.points === undefined && scenario.way !== "early" && scenario.tasks === 89,
  );
  const percent = (values: readonly number[], of: (...values: number[]) => number): number => 100 * of(...values);
  const naive = verdicts.map(({ result }) => result.naive.better + result.naive.worse);
  return [
    {
      what: "false better, the worst of all conditions",
      value: percent(
        verdicts.map(({ result }) => Math.max(result.better, result.worse)),
        Math.max,
      ), // which arm is called B is chance
      unit: "%",
      limit: { at: "most", value: 5.5 },
      note: `${verdicts.length} cells of ${verdicts[0]?.result.simulations ?? 0} simulations or more, from 15 tasks on; either arm`,
    },
    {
      what: "false verdict to either side, the worst",
      value: percent(
        verdicts.map(({ result }) => result.better + result.worse),
        Math.max,
      ),
      unit: "%",
      limit: { at: "most", value: 5.5 },
      note: `the same for trials as coins of their own, by z: up to ${percent(naive, Math.max).toFixed(1)} %`,
    },
    ...covered.map(({ scenario, result }): Measured => ({
      what: `interval of a difference covers, ${scenario.tasks} tasks, K = ${scenario.repeats}`,
      value: 100 * result.coverage,
      unit: "%",
      limit: { at: "least", value: 94 },
      note: `mean over pairs of agents as they are; trials as coins: ${(100 * result.naive.coverage).toFixed(1)} %`,
    })),
    ...power.map(({ scenario, result }): Measured => ({
      what: `power at ${scenario.truth === "lifted" ? "15 points, evenly" : "15 points, towards another agent"}, 89 tasks, K = ${scenario.repeats}`,
      value: 100 * result.better,
      unit: "%",
      note: `by z over trials: ${(100 * result.naive.better).toFixed(1)} %`,
    })),
  ];
}
