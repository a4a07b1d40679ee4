import type { Message, ModelCall } from "../contract/messages.ts";
import type { AnyMiddleware } from "../contract/middleware.ts";
import { rowOf } from "../models/families/find-row.ts";
import { recordIntervention, type Passed, type RunState } from "./run-state.ts";
import { MiddlewareError } from "./stop.ts";

/**
 * Holds a middleware to adding at the end: what it sent at one call is the beginning of what it sends at the next. One that changes earlier messages without
 * `rewrites` is an event, once a run; with a model that refuses a changed history it ends the run before the provider does, declared or not.
 * @throws MiddlewareError
 */
export function holdEarlierMessages(state: RunState, { name, rewrites = false }: AnyMiddleware, given: ModelCall, sent: ModelCall): void {
  const before = state.passed.get(name);
  const now: Passed = { given: given.messages, sent: sent.messages };
  state.passed.set(name, now);
  if (before === undefined || (before.sent === before.given && now.sent === now.given)) return;
  if (beginsWith(now.sent, before.sent) || !beginsWith(now.given, before.given)) return;
  const { model } = state.shared.config;
  if (rowOf(model.name, model.row)?.history === "frozen")
    throw new MiddlewareError(
      `The middleware "${name}" changed earlier messages, and ${model.name} refuses a conversation whose earlier messages changed (history: frozen in docs/models.md). Let it add at the end with run.inject, leave it out with {name: ${name}, off: true}, or name a model whose history is free.`,
    );
  const change = "changed earlier messages";
  if (rewrites || state.log.log.interventions.some((one) => one.middleware === name && one.change === change)) return;
  recordIntervention(
    state,
    { middleware: name, phase: "model", lane: state.lane },
    { change, why: "it does not declare that: write rewrites: true beside its methods" },
  );
}

/** Messages are frozen, so that the same one is mostly the same object; a copy of equal content is the same message too. */
function beginsWith(messages: readonly Message[], beginning: readonly Message[]): boolean {
  return (
    messages.length >= beginning.length &&
    beginning.every((message, i) => message === messages[i] || JSON.stringify(message) === JSON.stringify(messages[i]))
  );
}
