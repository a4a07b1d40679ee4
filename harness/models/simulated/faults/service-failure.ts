import { ModelError } from "../../../contract/model-error.ts";
import { draw } from "../draw.ts";
import { isServiceFault, type Fault, type ServiceFault } from "./fault-kinds.ts";

interface Asked {
  readonly drawn: readonly Fault[];
  readonly task: string;
  readonly seed: number;
  /** From 0. */
  readonly turn: number;
  /** Tries at this request before this one. */
  readonly attempt: number;
  /** Turns that the run surely has. */
  readonly turns: number;
  /** The model as people name it. */
  readonly who: string;
}

/** How the service fails at this try, if it does: 1 to 4 times at one turn of the run. */
export function serviceFailure(o: Asked): { readonly fault: ServiceFault; readonly error: ModelError } | undefined {
  for (const fault of o.drawn) {
    if (!isServiceFault(fault)) continue;
    const at = Math.floor(draw(o.task, o.seed, "place", fault) * Math.max(o.turns, 1));
    const times = 1 + Math.floor(draw(o.task, o.seed, "times", fault) * 4);
    if (at === o.turn && o.attempt < times) return { fault, error: errorOf(fault, o) };
  }
  return undefined;
}

function errorOf(fault: ServiceFault, { who, task, seed, attempt }: Asked): ModelError {
  if (fault === "breaks-off")
    return new ModelError("stream", `${who} broke off in mid-answer: the connection was closed.`, { activeMs: 400 });
  if (fault === "overloaded") return new ModelError("overloaded", `${who} answered 503: Overloaded.`, { status: 503, activeMs: 80 });
  const seconds = 1 + Math.floor(draw(task, seed, "retry after", attempt) * 5);
  return new ModelError("rate_limit", `${who} answered 429: Rate limit reached; try again in ${seconds} s.`, {
    status: 429,
    retryAfterMs: seconds * 1_000,
    activeMs: 40,
  });
}
