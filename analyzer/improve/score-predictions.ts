import type { Pair } from "./screen-patch.ts";

/** What became of what the analysis predicted, on fresh tasks of the same families. */
export interface PredictionScore {
  readonly issue: string;
  /** Of tasks that the base failed: in families that were predicted to be fixed, and in others. */
  readonly fixes: { readonly families: readonly string[]; readonly came: number; readonly of: number };
  readonly elsewhere: { readonly came: number; readonly of: number };
  /** Of tasks that the base passed: in families at risk, and in others. */
  readonly atRisk: { readonly families: readonly string[]; readonly broke: number; readonly of: number };
  readonly notAtRisk: { readonly broke: number; readonly of: number };
}

export function scorePredictions(
  issue: string,
  pairs: readonly Pair[],
  { fixes, atRisk }: { readonly fixes: readonly string[]; readonly atRisk: readonly string[] },
): PredictionScore {
  const failed = pairs.filter(({ base }) => base < 1);
  const passed = pairs.filter(({ base }) => base >= 1);
  const fixed = (some: readonly Pair[]): { came: number; of: number } => ({
    came: some.filter(({ patch }) => patch >= 1).length,
    of: some.length,
  });
  const broken = (some: readonly Pair[]): { broke: number; of: number } => ({
    broke: some.filter(({ patch }) => patch < 1).length,
    of: some.length,
  });
  const inside = (families: readonly string[], within: boolean) => (pair: Pair) => families.includes(pair.family) === within;
  return {
    issue,
    fixes: { families: fixes, ...fixed(failed.filter(inside(fixes, true))) },
    elsewhere: fixed(failed.filter(inside(fixes, false))),
    atRisk: { families: atRisk, ...broken(passed.filter(inside(atRisk, true))) },
    notAtRisk: broken(passed.filter(inside(atRisk, false))),
  };
}
