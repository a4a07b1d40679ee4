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
