import { classOf } from "../contract.ts";
import type { Fault } from "../detectors/find-faults.ts";
import type { Cell } from "./cells.ts";
import type { Contrast, ContrastReport } from "./contrast-runs.ts";
import type { ContrastRow } from "./contrast-row.ts";
import type { Feature } from "./feature.ts";
import { features } from "./features/features.ts";
import { markedRuns, type Marked } from "./mark.ts";

/** The name under which a feature is a finding. */
export const contrastDetector = (feature: string): string => `contrast:${feature}`;

/**
 * What the contrast says of each run, what comes first in a run first: features that were found, on the side of failure, and not explained by another one. A
 * failed run without a place to cite gets nothing; a passed one has no quote, and is there to be counted.
 */
export function contrastFaults(report: ContrastReport, cells: Iterable<Cell>): Map<string, Fault[]> {
  const found = features.flatMap((feature) => {
    const contrast = report.contrasts.find((one) => one.feature === feature.name);
    return contrast?.found && contrast.goesWith === null && feature[contrast.side].explains
      ? [{ feature, contrast, says: `${feature[contrast.side].says} ${sharesOf(contrast)}` }]
      : [];
  });
  const faults = new Map<string, Fault[]>();
  if (found.length === 0) return faults;
  for (const cell of cells)
    for (const { feature, contrast, says } of found) {
      const runs = markedRuns(cell, feature);
      for (const run of runs)
        for (const fault of faultOf(run, { runs, cell, feature, contrast, says })) {
          const own = faults.get(fault.run);
          if (own) own.push(fault);
          else faults.set(fault.run, [fault]);
        }
    }
  return faults;
}

interface Setting {
  readonly runs: readonly Marked[];
  readonly cell: Cell;
  readonly feature: Feature;
  readonly contrast: Contrast;
  readonly says: string;
}

function faultOf({ row, shows, place }: Marked, { runs, cell, feature, contrast, says }: Setting): Fault[] {
  const { explains, says: form } = feature[contrast.side];
  if (!explains || shows !== (contrast.side === "shown")) return [];
  const siblings = row.passed ? [] : runs.filter((other) => other.row.passed && other.shows !== shows).map((other) => other.row);
  const parting = partingFrom(row, siblings, feature.scope === "first reply" ? 1 : cell.horizon);
  const { seq, step, quote } = place ?? parting.own;
  if (quote === "" && !row.passed) return [];
  return [
    {
      run: row.run,
      kind: explains.kind,
      class: classOf[explains.kind],
      detector: contrastDetector(feature.name),
      seq,
      step,
      quote,
      why: `${says}${parting.says}`,
      source: "contrast",
      lever: explains.lever,
      confidence: mostlyFailure(contrast) ? "high" : "medium",
      mechanism: place?.form ?? form,
    },
  ];
}

function sharesOf({ side, withIt, without }: Contrast): string {
  const [such, other] = side === "shown" ? [withIt, without] : [without, withIt];
  return `Of such runs ${such.passed} of ${such.failed + such.passed} passed, of the others ${other.passed} of ${other.failed + other.passed}.`;
}

/**
 * At the rate of the other runs more than half of these failures would not be there: the attributable fraction among the exposed. Source: Greenland and Robins,
 * "Conceptual problems in the definition and interpretation of attributable fractions", Am. J. Epidemiol. 128 (1988).
 */
function mostlyFailure({ side, withIt, without }: Contrast): boolean {
  const [such, other] = side === "shown" ? [withIt, without] : [without, withIt];
  const rate = ({ failed, passed }: typeof such): number => failed / Math.max(1, failed + passed);
  return rate(other) < rate(such) / 2;
}

interface Parting {
  /** Where the failed run can be cited: its call there, else its last one, else its first reply. */
  readonly own: { readonly seq: number; readonly step: number | null; readonly quote: string };
  readonly says: string;
}

/** Where a failed run parts from the passed run of its cell that goes the same way longest, within the turns that are compared. */
function partingFrom(row: ContrastRow, siblings: readonly ContrastRow[], horizon: number): Parting {
  const own = row.calls.filter(({ turn }) => turn <= horizon);
  const paths = siblings.map((sibling) => {
    const calls = sibling.calls.filter(({ turn }) => turn <= horizon);
    const same = calls.findIndex(({ says }, i) => says !== own[i]?.says);
    return { run: sibling.run, at: same < 0 ? calls.length : same, calls };
  });
  const [closest] = paths.toSorted((a, b) => b.at - a.at || (a.run < b.run ? -1 : 1));
  const cited = own[closest?.at ?? 0] ?? own.at(-1) ?? row.opening;
  const other = closest?.calls[closest.at];
  if (!closest || !other) return { own: cited, says: "" };
  const mine = own[closest.at];
  const says = ` ${closest.run}, which passed, calls ${JSON.stringify(other.says)} where it ${mine ? `calls ${JSON.stringify(mine.says)}` : "calls nothing"}.`;
  return { own: cited, says };
}
