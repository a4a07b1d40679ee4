import { isIntervention } from "../../harness/events/is-intervention.ts";
import type { RunEvent } from "../../harness/events/schema.ts";
import { createTurnCounter } from "./turn-counter.ts";

/** An event with the number that its line has. */
export interface NumberedEvent extends RunEvent {
  readonly seq: number;
}

/** Sums over the replies and tool results of some events. */
export interface TurnSums {
  readonly input: number;
  readonly output: number;
  /** USD; null as soon as one reply has no known price. */
  readonly costUsd: number | null;
  /** Milliseconds inside model and tool calls. */
  readonly activeMs: number;
  readonly calls: number;
  readonly interventions: number;
}

/** A turn of the main conversation, with all that happened in it: subagents, side calls and middleware too. */
export interface Turn extends TurnSums {
  /** From 1; 0 holds what comes before the first request. */
  readonly turn: number;
  readonly events: readonly NumberedEvent[];
}

/** A run's events by turn, in order. */
export function turnsOf(events: readonly NumberedEvent[]): Turn[] {
  const counter = createTurnCounter();
  const turns: NumberedEvent[][] = [];
  for (const event of events) {
    counter.see(event);
    const own = turns[counter.turn()] ?? [];
    own.push(event);
    turns[counter.turn()] = own;
  }
  return turns.flatMap((own, turn) => (own.length > 0 ? [{ turn, events: own, ...sumsOf(own) }] : []));
}

function sumsOf(events: readonly NumberedEvent[]): TurnSums {
  const sums = createTurnSums();
  for (const event of events) sums.add(event);
  return sums.result();
}

/** Adds up events one by one. */
export function createTurnSums(): { add(event: Pick<RunEvent, "t" | "d">): void; result(): TurnSums } {
  const sums = { input: 0, output: 0, costUsd: 0 as number | null, activeMs: 0, calls: 0, interventions: 0 };
  return {
    add(event) {
      const { t, d } = event;
      sums.activeMs += numberIn(d["activeMs"]);
      if (t === "tool.call") sums.calls++;
      if (isIntervention(event)) sums.interventions++;
      if (t !== "model.response") return;
      const { input, output } = (d["usage"] ?? {}) as { input?: unknown; output?: unknown }; // whatever is recorded: looked at below
      sums.input += numberIn(input);
      sums.output += numberIn(output);
      sums.costUsd = typeof d["costUsd"] === "number" && sums.costUsd !== null ? sums.costUsd + d["costUsd"] : null;
    },
    result: () => ({ ...sums }),
  };
}

const numberIn = (value: unknown): number => (typeof value === "number" ? value : 0);
