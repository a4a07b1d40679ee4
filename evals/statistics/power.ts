import { normalQuantile, tQuantile } from "./distributions.ts";
import { familyVariance } from "./family-means.ts";
import { mean, variance } from "./moments.ts";
import type { Cell } from "./this-suite.ts";

/** What makes the tasks' differences vary. */
export interface VarianceComponents {
  /** ω²: of the tasks' true differences; with families, of those within one. */
  readonly between: number;
  /** τ²: of the families' true differences; left out where the task is the unit. */
  readonly family?: number;
  /** σ_A², σ_B²: of one trial around its task's own rate, mean over tasks. */
  readonly withinA: number;
  readonly withinB: number;
}

/** Source: Miller (2024), (z_{α/2} + z_β); with few units, by Student's t with `df`: Donner and Klar (2000), for clusters. */
function reach(alpha: number, power: number, df: number | undefined): number {
  const quantile = (p: number): number => (df === undefined ? normalQuantile(p) : tQuantile(p, Math.max(1, df)));
  return quantile(1 - alpha / 2) + quantile(power);
}

/**
 * The smallest true difference that a comparison with this standard error finds with the given power. Source: Miller, "Adding Error Bars to Evals" (2024).
 * @param df of Student's t, where families are the unit; left out: the normal distribution
 */
export const detectable = (se: number, alpha = 0.05, power = 0.8, df?: number): number => Math.min(1, reach(alpha, power, df) * se);

/** A comparison before it is made. `families`: left out, each task is one by itself. */
interface Size {
  readonly tasks: number;
  readonly families?: number | undefined;
  readonly repeats: number;
  readonly comparisons?: number;
  readonly alpha?: number;
  readonly power?: number;
}

/**
 * Before spending: the smallest true difference that `tasks` × `repeats` find with the given power,
 * δ = (z_{α/2} + z_β)·√((ω² + σ_A²/K + σ_B²/K)/n); with m tasks a family, δ = (t_{α/2} + t_β)·√((τ² + (ω² + σ_A²/K + σ_B²/K)/m)/G). With several comparisons
 * α is shared among them, as Holm does in its first step.
 */
export function detectableWith({ comparisons = 1, alpha = 0.05, power = 0.8, ...size }: Size, components: VarianceComponents): number {
  const { tasks, families } = size;
  const df = families === undefined ? undefined : families - 1;
  return detectable(Math.sqrt(unitVariance(size, components) / (families ?? tasks)), alpha / comparisons, power, df);
}

/** Of one unit's mean difference. */
function unitVariance({ tasks, families = tasks, repeats }: Size, { between, family = 0, withinA, withinB }: VarianceComponents): number {
  return family + ((between + withinA / repeats + withinB / repeats) * families) / tasks;
}

/** The tasks needed to find `difference`, the same formula turned round; with families, as many of the same size. */
export function tasksNeeded(
  {
    difference,
    comparisons = 1,
    alpha = 0.05,
    power = 0.8,
    tasks = 1,
    ...size
  }: Partial<Size> & Pick<Size, "repeats"> & { readonly difference: number },
  components: VarianceComponents,
): number {
  const { families } = size;
  const variance = unitVariance({ ...size, tasks }, components);
  const needed = (df?: number): number => Math.ceil((reach(alpha / comparisons, power, df) ** 2 * variance) / difference ** 2 - 1e-9);
  if (families === undefined) return needed();
  let units = Math.max(2, needed());
  while (needed(units - 1) > units) units++;
  return Math.ceil((units * tasks) / families);
}

/**
 * The components, by the method of moments. Within: the unbiased variance of a cell's repeats, mean over the cells that have two or more. Between: what
 * the tasks' differences vary by beyond that, never under 0. Undefined where no cell of an arm has two repeats: then one trial's noise and the tasks'
 * own differences cannot be told apart.
 * @param families the tasks' differences by family, where the family is the unit
 */
export function varianceComponents(cells: readonly Cell[], families?: readonly (readonly number[])[]): VarianceComponents | undefined {
  const [withinA, withinB] = [within(cells.map(({ a }) => a)), within(cells.map(({ b }) => b))];
  if (withinA === undefined || withinB === undefined || cells.length < 2) return undefined;
  const noise = mean(cells.map(({ a, b }) => withinA / a.length + withinB / b.length));
  const split = families && familyVariance(families);
  const total = split?.within ?? variance(cells.map(({ a, b }) => mean(b) - mean(a)));
  return { between: Math.max(0, total - noise), ...(split ? { family: split.family } : {}), withinA, withinB };
}

function within(cells: readonly (readonly number[])[]): number | undefined {
  const repeated = cells.filter((scores) => scores.length > 1);
  return repeated.length > 0 ? mean(repeated.map((scores) => variance(scores))) : undefined;
}
