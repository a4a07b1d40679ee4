import { normalQuantile } from "./distributions.ts";
import { mean, variance } from "./moments.ts";
import type { Cell } from "./this-suite.ts";

/** What makes the tasks' differences vary. */
export interface VarianceComponents {
  /** ω²: of the tasks' true differences. */
  readonly between: number;
  /** σ_A², σ_B²: of one trial around its task's own rate, mean over tasks. */
  readonly withinA: number;
  readonly withinB: number;
}

/** Source: Miller (2024), (z_{α/2} + z_β)². */
const reach = (alpha: number, power: number): number => normalQuantile(1 - alpha / 2) + normalQuantile(power);

/** The smallest true difference that a comparison with this standard error finds with the given power. Source: Miller, "Adding Error Bars to Evals" (2024). */
export const detectable = (se: number, alpha = 0.05, power = 0.8): number => Math.min(1, reach(alpha, power) * se);

/**
 * Before spending: the smallest true difference that `tasks` × `repeats` find with the given power,
 * δ = (z_{α/2} + z_β)·√((ω² + σ_A²/K + σ_B²/K)/n). With several comparisons α is shared among them, as Holm does in its first step.
 */
export function detectableWith(
  o: { readonly tasks: number; readonly repeats: number; readonly comparisons?: number; readonly alpha?: number; readonly power?: number },
  { between, withinA, withinB }: VarianceComponents,
): number {
  const { tasks, repeats, comparisons = 1, alpha = 0.05, power = 0.8 } = o;
  return detectable(Math.sqrt((between + withinA / repeats + withinB / repeats) / tasks), alpha / comparisons, power);
}

/** The tasks needed to find `difference`, the same formula turned round. */
export function tasksNeeded(
  o: {
    readonly difference: number;
    readonly repeats: number;
    readonly comparisons?: number;
    readonly alpha?: number;
    readonly power?: number;
  },
  { between, withinA, withinB }: VarianceComponents,
): number {
  const { difference, repeats, comparisons = 1, alpha = 0.05, power = 0.8 } = o;
  return Math.ceil((reach(alpha / comparisons, power) ** 2 * (between + withinA / repeats + withinB / repeats)) / difference ** 2 - 1e-9);
}

/**
 * The components, by the method of moments. Within: the unbiased variance of a cell's repeats, mean over the cells that have two or more. Between: what
 * the tasks' differences vary by beyond that, never under 0. Undefined where no cell of an arm has two repeats: then one trial's noise and the tasks'
 * own differences cannot be told apart.
 */
export function varianceComponents(cells: readonly Cell[]): VarianceComponents | undefined {
  const [withinA, withinB] = [within(cells.map(({ a }) => a)), within(cells.map(({ b }) => b))];
  if (withinA === undefined || withinB === undefined || cells.length < 2) return undefined;
  const differences = cells.map(({ a, b }) => mean(b) - mean(a));
  const noise = mean(cells.map(({ a, b }) => withinA / a.length + withinB / b.length));
  return { between: Math.max(0, variance(differences) - noise), withinA, withinB };
}

function within(cells: readonly (readonly number[])[]): number | undefined {
  const repeated = cells.filter((scores) => scores.length > 1);
  return repeated.length > 0 ? mean(repeated.map((scores) => variance(scores))) : undefined;
}
