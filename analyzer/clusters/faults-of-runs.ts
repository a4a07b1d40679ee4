import type { RunLine } from "../analysis/run-line.ts";
import { classOf, type Finding } from "../contract.ts";
import { contrast, type Contrast } from "../contrast/contrast.ts";
import { features } from "../contrast/features.ts";
import type { Fault } from "../detectors/find-faults.ts";

/** What was found in one run by rules and contrast, the likeliest cause first. */
export interface RunFaults {
  readonly line: RunLine;
  readonly faults: readonly Fault[];
}

const weight = { high: 0, medium: 1, low: 2 } as const;
export const contrastDetector = (feature: string): string => `contrast:${feature}`;

/** Adds what the contrast shows to what the rules found: among equally sure ones it comes first, because it was measured against runs that passed. */
export function faultsOfRuns(lines: readonly RunLine[]): { readonly runs: readonly RunFaults[]; readonly contrasts: readonly Contrast[] } {
  const judged = lines.flatMap((line) =>
    line.passed === null ? [] : [{ ...line, passed: line.passed, features: Object.keys(line.features) }],
  );
  const contrasts = contrast(
    judged,
    features.map(({ name }) => name),
  );
  const shown = features.filter(({ name }) => contrasts.some((one) => one.feature === name && one.shown));
  const runs = lines.map((line): RunFaults => {
    const measured = shown.flatMap(({ name, kind, lever }): Fault[] => {
      const place = line.features[name];
      if (!place) return [];
      const { form, ...cited } = place;
      const common = { run: line.run, kind, class: classOf[kind], detector: contrastDetector(name), source: "contrast" as const, lever };
      return [{ ...common, ...cited, confidence: "high", mechanism: form }];
    });
    const all = [...measured, ...line.faults].map((fault, place) => ({ fault, place }));
    const sorted = all.toSorted((a, b) => weight[a.fault.confidence] - weight[b.fault.confidence] || a.place - b.place);
    return { line, faults: sorted.map(({ fault }) => fault) };
  });
  return { runs, contrasts };
}

/** The findings of a failed run, ranked. */
export const rankedFindings = ({ faults }: RunFaults): Finding[] =>
  faults.map(({ mechanism: _, run, ...fault }, i) => ({ run, rank: i + 1, ...fault }));
