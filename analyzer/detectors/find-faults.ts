import { classOf, type Finding } from "../contract.ts";
import type { AnalyzedRun } from "../runs/analyzed-run.ts";
import { isCited } from "./citation.ts";
import type { Detector } from "./detector.ts";

/** A finding before it is ranked among those of its run, with what runs of the same fault share. */
export interface Fault extends Omit<Finding, "rank"> {
  readonly mechanism: string;
}

export interface Faults {
  /** The likeliest cause first. */
  readonly faults: readonly Fault[];
  /** Candidates whose citation does not hold: they are dropped, and counted by detector. */
  readonly uncited: readonly string[];
}

const weight = { high: 0, medium: 1, low: 2 } as const;

/** What the detectors find in a run: each citation checked; the surest first, then in the order of the list, then the earliest. */
export function findFaults(run: AnalyzedRun, detectors: readonly Detector[]): Faults {
  const uncited: string[] = [];
  const placed = detectors.flatMap((detector, place) =>
    detector.detect(run).flatMap(({ mechanism, confidence, ...candidate }) => {
      if (!isCited(run, candidate)) {
        uncited.push(detector.name);
        return [];
      }
      const fault: Fault = {
        run: run.name,
        kind: detector.kind,
        class: classOf[detector.kind],
        detector: detector.name,
        ...candidate,
        source: "rule",
        lever: detector.lever,
        confidence: confidence ?? detector.confidence,
        mechanism: mechanism ?? detector.name,
      };
      return [{ fault, place }];
    }),
  );
  const sorted = placed.toSorted(
    (a, b) => weight[a.fault.confidence] - weight[b.fault.confidence] || a.place - b.place || a.fault.seq - b.fault.seq,
  );
  return { faults: sorted.map(({ fault }) => fault), uncited };
}
