import type { ArmSummary } from "../../evals/arms/arm-summary.ts";
import { count, dollars, duration, percent, unknown } from "../text/format.ts";
import { ends } from "./comparison-lines.ts";

/** Configurations side by side, as terminal and Markdown show them. */
export interface ArmTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Below it; undefined where nothing in it is unknown. */
  readonly note: string | undefined;
}

/** Left out of a table that is wider than its page, the first first. */
export const dispensable = ["model", "cost/trial", "passed", "time/trial"];

/** A row each. A column of which nothing is known is left out. */
export function armTable(arms: readonly ArmSummary[], o: { readonly interval?: boolean } = {}): ArmTable {
  const models = new Set(arms.map(({ model }) => model));
  const simulated = arms.some(({ costSimulated }) => costSimulated);
  const each = (of: (arm: ArmSummary) => number | null, text: (value: number) => string) => (arm: ArmSummary) => {
    const value = of(arm);
    return value === null || arm.trials === 0 ? unknown : text(value / arm.trials);
  };
  const columns: readonly (readonly [head: string, cell: (arm: ArmSummary) => string])[] = [
    ["", ({ name }) => name],
    ...(models.size > 1 && arms.some(({ name, model }) => !name.includes(model))
      ? [["model", ({ model }: ArmSummary) => model] as const]
      : []),
    ["passed", ({ passed, trials, unscored }) => `${passed}/${trials - unscored}`],
    ...(arms.some(({ unscored }) => unscored > 0) ? [["no score", ({ unscored }: ArmSummary) => String(unscored)] as const] : []),
    ["rate", ({ rate }) => percent(rate.value)],
    ...(o.interval === true ? [["95 %", ({ rate }: ArmSummary) => ends(rate)] as const] : []),
    ["tokens/trial", each(({ tokens }) => (tokens.in === null || tokens.out === null ? null : tokens.in + tokens.out), count)],
    [simulated ? "simulated cost" : "cost/trial", each(({ costUsd }) => costUsd, dollars)],
    ["time/trial", each(({ activeMs }) => activeMs, duration)],
  ];
  const known = columns.filter(([, cell]) => arms.length === 0 || arms.some((arm) => cell(arm) !== unknown));
  const rows = arms.map((arm) => known.map(([, cell]) => cell(arm)));
  return {
    head: known.map(([head]) => head),
    rows,
    note: rows.some((row) => row.includes(unknown)) ? `${unknown} not known` : undefined,
  };
}
