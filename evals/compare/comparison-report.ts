import type { Comparison } from "./compare.ts";
import type { Gate } from "./pipeline-gate.ts";
import type { LedgerCount } from "./ledger.ts";

/** A comparison with what is said around it. */
export interface ComparisonReport extends Comparison {
  /** Left out where nothing was decided. */
  readonly ledger?: LedgerCount;
  /** Only when asked for. */
  readonly gate?: Gate;
}
