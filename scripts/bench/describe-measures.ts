import Table from "cli-table3";
import { verdictOf, type Measure, type Measured } from "./measure.ts";

/** The table that a person reads, and a line about the machine without which no number means much. */
export function describeMeasures(
  machine: { node: string; platform: string; cores: number; load: number },
  measures: readonly Measure[],
): string {
  const table = new Table({
    head: ["what", "measured", "ceiling", "", "from"],
    style: { head: [], border: [] },
    colAligns: ["left", "right", "right"],
  });
  for (const measure of measures) {
    if ("skipped" in measure) table.push([measure.what, "", "", "skipped", measure.skipped]);
    else table.push([measure.what, amount(measure.value, measure.unit), limitOf(measure), verdictOf(measure), measure.note]);
  }
  const { node, platform, cores, load } = machine;
  const over = measures.filter((measure) => verdictOf(measure) === "over").length;
  const end = over > 0 ? `${over} over the ceiling` : "nothing is over its ceiling";
  return `${table.toString()}\n${platform}, ${cores} cores, Node ${node}, load ${load.toFixed(1)} at the start: ${end}\n`;
}

function limitOf({ limit, unit }: Measured): string {
  if (!limit) return "";
  return `${limit.at === "most" ? "≤" : "≥"} ${amount(limit.value, unit)}`;
}

function amount(value: number, unit: Measured["unit"]): string {
  if (unit === "×") return `${value.toFixed(2)} ×`;
  const digits = unit === "ms" || unit === "s" ? 2 : unit === "%" ? 1 : 0;
  return `${value.toFixed(digits)} ${unit}`;
}
