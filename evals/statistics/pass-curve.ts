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

/**
 * Chance that at least one of k trials of a task passes, without bias, from `passed` of `trials`: 1 − C(m−c, k)/C(m, k) as a product. Null where
 * there are fewer than k trials. Source: Chen et al., "Evaluating large language models trained on code" (2021).
 */
export function passAtK(passed: number, trials: number, k: number): number | null {
  const none = share(trials - passed, trials, k);
  return none === null ? null : 1 - none;
}

/** Chance that all of k trials of a task pass: C(c, k)/C(m, k). Null where there are fewer than k trials. Source: Yao et al., "τ-bench" (2024). */
export const passAllK = (passed: number, trials: number, k: number): number | null => share(passed, trials, k);

/** C(some, k)/C(all, k), factor by factor: no factorial overflows. */
function share(some: number, all: number, k: number): number | null {
  if (all < k) return null;
  let product = 1;
  for (let i = 0; i < k; i++) product *= Math.max(0, some - i) / (all - i);
  return product;
}
