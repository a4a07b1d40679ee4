import type { RunLine } from "../analysis/run-line.ts";
import type { Finding } from "../contract.ts";
import type { Cell } from "../contrast/cells.ts";
import { contrastFaults } from "../contrast/contrast-faults.ts";
import { contrastRuns, type ContrastReport } from "../contrast/contrast-runs.ts";
import type { Fault } from "../detectors/find-faults.ts";

/** What was found in one run by rules and contrast, the likeliest cause first. */
export interface RunFaults {
  readonly line: RunLine;
  readonly faults: readonly Fault[];
}

const weight = { high: 0, medium: 1, low: 2 } as const;

/** Adds what the contrast shows to what the rules found: among equally sure ones it comes first, because it was measured against runs that passed. */
export function faultsOfRuns(
  lines: readonly RunLine[],
  cells: Iterable<Cell>,
): { readonly runs: readonly RunFaults[]; readonly contrast: ContrastReport } {
  const contrast = contrastRuns(cells);
  const measured = contrastFaults(contrast, cells);
  const runs = lines.map((line): RunFaults => {
    const all = [...(measured.get(line.run) ?? []), ...line.faults].map((fault, place) => ({ fault, place }));
    const sorted = all.toSorted((a, b) => weight[a.fault.confidence] - weight[b.fault.confidence] || a.place - b.place);
    return { line, faults: sorted.map(({ fault }) => fault) };
  });
  return { runs, contrast };
}

/** The findings of a failed run, ranked. */
export const rankedFindings = ({ faults }: RunFaults): Finding[] =>
  faults.map(({ mechanism: _, run, ...fault }, i) => ({ run, rank: i + 1, ...fault }));

/** What a model says comes after what was measured or is sure, and before hints: it takes nothing away and never explains a run in the place of a rule that is sure. */
export function withClaims({ line, faults }: RunFaults, claims: readonly Fault[]): RunFaults {
  if (claims.length === 0) return { line, faults };
  const hints = faults.findIndex(({ confidence }) => confidence === "low");
  const at = hints < 0 ? faults.length : hints;
  return { line, faults: [...faults.slice(0, at), ...claims, ...faults.slice(at)] };
}
