import type { Fault } from "../faults/fault-kinds.ts";
import type { PlannedCall } from "./itinerary.ts";
import type { Plan } from "../plan.ts";

/** What the model does in one turn. Without calls it takes itself to be done. */
export interface Act {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
  /** A summary of what was thought, and the tokens that the thinking took. */
  readonly thinking?: { readonly text: string; readonly tokens: number };
  /** Left out: as providers stop, with calls or at the end. */
  readonly stop?: "length" | "refusal";
  /** The fault that this turn is. */
  readonly fault?: Fault;
}

/** Who plays what: the same for a whole run. */
export interface Part {
  readonly plan: Plan;
  readonly task: string;
  readonly seed: number;
  readonly protocol: "native" | "text";
}
