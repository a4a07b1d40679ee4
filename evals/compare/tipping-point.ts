import { scoresOf, type AnyArm } from "../arms/arm.ts";
import { differenceOf, tasksRead, type Difference, type ReadBy, type ScoredTask } from "./compare-arms.ts";

/** How much of what is not known a claim can bear. */
export interface TippingPoint {
  /** It falls if as many of them went against it, and the others for it. */
  readonly falls: number;
  /** Trials without a score, those that are missing among them. */
  readonly of: number;
  /** All of them are missing. */
  readonly missing: boolean;
  /** The arm they are of, and what one that goes against the claim counts; or both arms. */
  readonly side: { readonly of: "a" | "b"; readonly counts: 0 | 1 } | "both";
}

/**
 * The least number of trials without a score at which the claim falls, taken task by task. Undefined where it does not stand even with all of them for it, or
 * does not fall with all against it. Source: tipping-point analysis of missing binary outcomes, Yan, Lee and Li, J. Biopharm. Stat. 19 (2009).
 * @param sign 1: B is better; −1: A is
 */
export function tippingPoint(
  [a, b]: readonly [AnyArm, AnyArm],
  sign: 1 | -1,
  { comparisons = 1, missing, familyOf }: Omit<ReadBy, "reading">,
  stands: (difference: Omit<Difference, "reading">) => boolean,
): TippingPoint | undefined {
  const against = { a: sign > 0 ? 1 : 0, b: sign > 0 ? 0 : 1 } as const;
  const unknown = { a: 0, b: 0, missing: 0 };
  const tasks = tasksRead(a, missing).map((task) => {
    const side = (arm: AnyArm, name: "a" | "b"): { scores: readonly number[]; lost: number } => {
      const trials = arm.tasks.get(task) ?? [];
      const absent = missing?.[name].get(task) ?? 0;
      const lost = trials.filter(({ record }) => record.score === null).length + absent;
      return { scores: lost > 0 ? trials.flatMap(({ record: { score } }) => score ?? []) : scoresOf(trials), lost };
    };
    const one = { task, a: side(a, "a"), b: side(b, "b"), absent: (missing?.a.get(task) ?? 0) + (missing?.b.get(task) ?? 0) };
    return one;
  });
  const read = tasks.filter((one) => [one.a, one.b].every(({ scores, lost }) => scores.length + lost > 0));
  for (const one of read) {
    unknown.a += one.a.lost;
    unknown.b += one.b.lost;
    unknown.missing += one.absent;
  }
  const of = unknown.a + unknown.b;
  const holds = (falls: number): boolean => {
    let left = falls;
    const filled = (name: "a" | "b", { scores, lost }: { scores: readonly number[]; lost: number }): number[] => {
      const turned = Math.min(left, lost);
      left -= turned;
      return [...scores, ...Array.from({ length: lost }, (_, i) => (i < turned ? against[name] : 1 - against[name]))];
    };
    const cells = read.map((one): ScoredTask => ({ task: one.task, a: filled("a", one.a), b: filled("b", one.b) }));
    return stands(differenceOf(cells, comparisons, familyOf));
  };
  if (of === 0 || !holds(0) || holds(of)) return undefined;
  let [standing, fallen] = [0, of];
  while (fallen - standing > 1) {
    const middle = Math.floor((standing + fallen) / 2);
    if (holds(middle)) standing = middle;
    else fallen = middle;
  }
  const side = unknown.b === 0 ? ({ of: "a", counts: against.a } as const) : ({ of: "b", counts: against.b } as const);
  return { falls: fallen, of, missing: unknown.missing === of, side: unknown.a > 0 && unknown.b > 0 ? "both" : side };
}
