import { plainTable } from "../../reports/text/lay-table.ts";
import { verdictOf, type Measure, type Measured } from "./measure.ts";

/** The table that a person reads, and a line about the machine without which no number means much. */
export function describeMeasures(
  machine: { node: string; platform: string; cores: number; load: number },
  measures: readonly Measure[],
): string {
  const rows = measures.map((measure) =>
    "skipped" in measure
      ? [measure.what, "", "", "skipped", measure.skipped]
      : [measure.what, amount(measure.value, measure.unit), limitOf(measure), verdictOf(measure), measure.note],
  );
  const table = plainTable(["what", "measured", "ceiling", "", "from"], rows, { left: ["", "from"], most: 200 });
  const { node, platform, cores, load } = machine;
  const over = measures.filter((measure) => verdictOf(measure) === "over").length;
  const end = over > 0 ? `${over} over the ceiling` : "nothing is over its ceiling";
  return `${table}\n${platform}, ${cores} cores, Node ${node}, load ${load.toFixed(1)} at the start: ${end}\n`;
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
