import { faultKinds, isServiceFault, type Fault } from "../../harness/models/simulated/faults/fault-kinds.ts";
import type { TraceLine } from "../../harness/events/schema.ts";

/** A line of `key.jsonl`: what is wrong with one run. */
export interface KeyLine {
  /** `task/configuration/repeat`. */
  readonly run: string;
  /** Folder of the trace, relative to the corpus. */
  readonly trace: string;
  readonly fault: Fault;
  readonly place: string;
  /** `run:seq` of the event at which it happens; null where the configuration kept it from happening. */
  readonly at: string | null;
  readonly seq: number | null;
  /** Model replies of the run before it. */
  readonly turn: number | null;
  /** The middleware or setting that helps best, and all that help. */
  readonly lever: string;
  readonly levers: readonly string[];
  readonly task: string;
  readonly seed: number;
  readonly passed: boolean | null;
}

/** The first turn of a run that was a fault, as the model itself told it. */
export interface Happened {
  readonly fault: Fault;
  readonly turn: number;
}

/** The event at which a fault happened: the reply that is the fault, or the failed try of a service that fails. */
function eventOf(lines: readonly Pick<TraceLine, "t" | "lane" | "seq">[], { fault, turn }: Happened): number | undefined {
  const main = lines.filter(({ lane }) => lane === "main");
  const replies = main.filter(({ t }) => t === "model.response");
  if (!isServiceFault(fault)) return replies[turn]?.seq;
  const after = turn === 0 ? -1 : (replies[turn - 1]?.seq ?? Number.POSITIVE_INFINITY);
  return main.find(({ t, seq }) => t === "model.attempt" && seq > after)?.seq;
}

export function keyLine(
  o: Pick<KeyLine, "run" | "trace" | "fault" | "task" | "seed" | "passed">,
  lines: readonly Pick<TraceLine, "t" | "lane" | "seq">[],
  happened: Happened | undefined,
): KeyLine {
  const { place, levers } = faultKinds[o.fault];
  const seq = (happened && eventOf(lines, happened)) ?? null;
  return {
    run: o.run,
    trace: o.trace,
    fault: o.fault,
    place,
    at: seq === null ? null : `${o.run}:${seq}`,
    seq,
    turn: seq === null ? null : (happened?.turn ?? null),
    lever: levers[0],
    levers,
    task: o.task,
    seed: o.seed,
    passed: o.passed,
  };
}
