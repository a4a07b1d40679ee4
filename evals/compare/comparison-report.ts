import type { Comparison } from "./compare.ts";
import type { Gate } from "./pipeline-gate.ts";
import type { LedgerCount } from "./ledger.ts";

/** A comparison with its surroundings. */
export interface ComparisonReport extends Comparison {
  /** Left out where nothing was decided. */
  readonly ledger?: LedgerCount;
  /** Only on request. */
  readonly gate?: Gate;
}
