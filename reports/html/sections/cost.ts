import type { ArmSummary } from "../../../evals/arms/arm-summary.ts";
import type { ComparisonReport } from "../../../evals/compare/comparison-report.ts";
import { rate } from "../../content/comparison-lines.ts";
import { count, dollars } from "../../text/format.ts";
import { paretoFront, scatter } from "../charts/scatter.ts";
import { linearScale, shareScale } from "../charts/scale.ts";
import { markup, name } from "../markup.ts";
import { dataTable, type Section } from "./section.ts";

/** What a trial costs against how often it passes; in tokens where a price is unknown. */
export function cost({ arms }: ComparisonReport): Section | undefined {
  const priced = arms.every((arm) => arm.costUsd !== null);
  const used = (arm: ArmSummary): number | null => (priced ? arm.costUsd : tokensOf(arm));
  const measured = arms.filter((arm) => arm.trials > 0 && used(arm) !== null);
  if (measured.length === 0) return undefined;
  const each = (arm: ArmSummary): number => (used(arm) ?? 0) / arm.trials;
  const front = paretoFront(measured.map((arm) => ({ x: each(arm), y: arm.rate.value })));
  const points = measured.map((arm, i) => ({ label: letter(i), x: each(arm), y: arm.rate, onFront: front[i] ?? false }));
  const format = (value: number): string => (priced ? dollars(Number(value.toPrecision(3))).replace(/0+$/, "") : count(value));
  const simulated = measured.some((arm) => arm.costSimulated) ? " (simulated: nothing was charged)" : "";
  const what = priced ? `cost of a trial${simulated}` : "tokens of a trial, as not every price is known";
  const says = points.map((point, i) => `${measured[i]?.name ?? ""}: ${format(point.x)}, ${rate(point.y)}`).join("; ");
  const x = linearScale(0, Math.max(...points.map((point) => point.x), 1e-9) * 1.05);
  return {
    id: "cost",
    title: "Cost against pass rate",
    body: markup`<p class="note">Across: ${what}. Up: mean pass rate with its 95 % interval. The stepped line joins what nothing beats in both (filled marks).</p>${scatter(points, x, shareScale(Math.max(...points.map((point) => point.y.high))), { format: (tick) => (tick === 0 ? "0" : format(tick)), says })}${dataTable(
      "Cost against pass rate",
      [
        { title: "configuration" },
        { title: priced ? "cost of a trial" : "tokens of a trial", number: true },
        { title: "mean over tasks [95 %]", number: true },
        { title: "on the Pareto line" },
      ],
      points.map((point, i) => [
        markup`<b>${point.label}</b> ${name(measured[i]?.name ?? "")}`,
        priced ? dollars(point.x) : count(Math.round(point.x)),
        rate(point.y),
        point.onFront ? "yes" : "no",
      ]),
    )}`,
  };
}

const tokensOf = ({ tokens }: ArmSummary): number | null => (tokens.in === null || tokens.out === null ? null : tokens.in + tokens.out);

/** A to Z, then A1 and on. */
const letter = (i: number): string => `${String.fromCharCode(65 + (i % 26))}${i < 26 ? "" : Math.floor(i / 26)}`;
