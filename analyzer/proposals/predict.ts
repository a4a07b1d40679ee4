import type { RunLine } from "../analysis/run-line.ts";

/** What a change that takes a mechanism away would probably win. */
export interface Prediction {
  /** Failed runs that would pass: each counts the share of passed runs among its siblings without the mechanism. */
  readonly gain: number;
  /** Tasks of which at least half a run would be won. */
  readonly fixes: readonly string[];
  /** Failed runs without a sibling: their gain is the configuration's rate and rests on other tasks. */
  readonly guessed: number;
}

/** @param lost failed runs that the mechanism explains @param without runs that do not show it */
export function predict(lost: readonly RunLine[], without: readonly RunLine[]): Prediction {
  const own = tally(without, ({ task, configuration }) => JSON.stringify([task, configuration]));
  const elsewhere = tally(without, ({ task, model }) => JSON.stringify([task, model]));
  const overall = tally(without, ({ configuration }) => configuration);
  const byTask = new Map<string, number>();
  let [gain, guessed] = [0, 0];
  for (const { task, configuration, model } of lost) {
    const sibling = own.get(JSON.stringify([task, configuration])) ?? elsewhere.get(JSON.stringify([task, model]));
    if (!sibling) guessed++;
    const { passed, all } = sibling ?? overall.get(configuration) ?? { passed: 0, all: 1 };
    gain += passed / all;
    byTask.set(task, (byTask.get(task) ?? 0) + passed / all);
  }
  const fixes = [...byTask].filter(([, won]) => won >= 0.5).map(([task]) => task);
  return { gain, fixes: fixes.toSorted(), guessed };
}

function tally(runs: readonly RunLine[], keyOf: (run: RunLine) => string): Map<string, { passed: number; all: number }> {
  const found = new Map<string, { passed: number; all: number }>();
  for (const run of runs) {
    if (run.passed === null) continue;
    const one = found.get(keyOf(run)) ?? { passed: 0, all: 0 };
    found.set(keyOf(run), { passed: one.passed + (run.passed ? 1 : 0), all: one.all + 1 });
  }
  return found;
}
