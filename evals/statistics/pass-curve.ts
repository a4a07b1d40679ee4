import { passAllK, passAtK } from "./pass-at-k.ts";

/** Over the tasks that have k scored trials or more: the mean chance that one of k passes, and that all k pass. */
export interface PassPoint {
  readonly k: number;
  readonly any: number;
  readonly all: number;
  readonly tasks: number;
}

/** From k = 1 up to as many repeats as most tasks have, so that every point rests on about the same tasks. */
export function passCurve(trials: Iterable<{ readonly task: string; readonly passed: boolean | null }>): PassPoint[] {
  const cells = new Map<string, { trials: number; passed: number }>();
  for (const { task, passed } of trials) {
    if (passed === null) continue;
    const cell = cells.get(task) ?? { trials: 0, passed: 0 };
    cells.set(task, { trials: cell.trials + 1, passed: cell.passed + (passed ? 1 : 0) });
  }
  const sizes = [...cells.values()].map((cell) => cell.trials).toSorted((x, y) => x - y);
  const most = sizes[Math.floor(sizes.length / 2)] ?? 0;
  return Array.from({ length: most }, (_, i): PassPoint => {
    const k = i + 1;
    const full = [...cells.values()].filter((cell) => cell.trials >= k);
    const mean = (of: (passed: number, trials: number, size: number) => number | null): number =>
      full.reduce((sum, cell) => sum + (of(cell.passed, cell.trials, k) ?? 0), 0) / full.length;
    return { k, any: mean(passAtK), all: mean(passAllK), tasks: full.length };
  });
}
