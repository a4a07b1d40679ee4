/** One measured number. Without a limit it is printed for orientation. */
export interface Measured {
  readonly what: string;
  readonly value: number;
  /** `×` is a ratio of two times of this run. */
  readonly unit: "×" | "ms" | "s" | "steps/s" | "events/s" | "bytes/turn" | "%" | "MiB" | "things";
  readonly limit?: { readonly at: "most" | "least"; readonly value: number };
  /** The numbers behind the value. */
  readonly note: string;
}

/** What could not be measured here, with the reason and its cure. */
export interface Skipped {
  readonly what: string;
  readonly skipped: string;
}

export type Measure = Measured | Skipped;
export type Verdict = "ok" | "over" | "skipped" | "for orientation";

export function verdictOf(measure: Measure): Verdict {
  if ("skipped" in measure) return "skipped";
  const { value, limit } = measure;
  if (!limit) return "for orientation";
  return (limit.at === "most" ? value <= limit.value : value >= limit.value) ? "ok" : "over";
}
