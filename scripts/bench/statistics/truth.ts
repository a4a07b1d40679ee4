import type { OutcomeRates } from "./outcome-rates.ts";

/** What is true of two arms: the chance of each task to pass under A and under B, and the mean difference over all tasks. */
export interface Truth {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly difference: number;
}

/**
 * `same`: one agent twice. `unlike`: two agents, the second lifted or thinned so that both pass as much in the mean, while tasks differ as much as agents
 * do. `real`: two agents as they are. `lifted`: one agent, and the same with the given share of points more, on the tasks that it fails.
 * `towards`: one agent, and a part of the way to another that is better by more than the given points.
 */
export type TruthKind = "same" | "unlike" | "real" | "lifted" | "towards";

const mean = (rates: Float64Array): number => rates.reduce((sum, rate) => sum + rate, 0) / rates.length;

/** Draws a pair of the kind. `points`: the mean difference of `lifted` and `towards`, a share. `beside`: A is this one. */
export function drawTruth(
  kind: TruthKind,
  rates: OutcomeRates,
  random: () => number,
  o: { points?: number; beside?: Float64Array } = {},
): Truth {
  const { points = 0.15 } = o;
  const pick = (): Float64Array => rates.agents[Math.floor(random() * rates.agents.length)] ?? new Float64Array();
  const of = (a: Float64Array, b: Float64Array): Truth => ({ a, b, difference: mean(b) - mean(a) });
  for (;;) {
    const [a, b] = [o.beside ?? pick(), pick()];
    if (kind === "same") return of(a, a);
    if (kind === "lifted") return of(a, levelled(a, Math.min(0.95, mean(a) + points)));
    if (a === b) continue;
    if (kind === "real") return of(a, b);
    if (kind === "unlike") return of(a, levelled(b, mean(a)));
    const gap = mean(b) - mean(a);
    if (gap > points)
      return of(
        a,
        b.map((rate, i) => (a[i] ?? 0) + ((rate - (a[i] ?? 0)) * points) / gap),
      );
  }
}

/** The same agent with another mean: every chance thinned, or every chance to fail. */
function levelled(rates: Float64Array, to: number): Float64Array {
  const from = mean(rates);
  return from >= to ? rates.map((rate) => (rate * to) / from) : rates.map((rate) => 1 - ((1 - rate) * (1 - to)) / (1 - from));
}
