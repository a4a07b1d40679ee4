import type { ModelReply } from "../contract/messages.ts";
import type { Budget, LimitName, Limits, Spent } from "../contract/run-result.ts";

/** Adds up what a run used, from recorded figures alone. */
export interface Account {
  readonly spent: Spent;
  turn(): void;
  model(reply: Pick<ModelReply, "usage" | "costUsd">, activeMs: number): void;
  active(ms: number): void;
  /** A subagent's whole bill; its turns are its own. */
  join(other: Spent): void;
}

export function createAccount(): Account {
  const spent = { turns: 0, input: 0, output: 0, cached: 0, costUsd: 0 as number | null, activeMs: 0 };
  const addCost = (usd: number | null): void => {
    spent.costUsd = spent.costUsd === null || usd === null ? null : spent.costUsd + usd;
  };
  return {
    spent,
    turn: () => void spent.turns++,
    model({ usage, costUsd }, activeMs) {
      spent.input += usage.input;
      spent.output += usage.output;
      spent.cached += usage.cached;
      spent.activeMs += activeMs;
      addCost(costUsd);
    },
    active: (ms) => void (spent.activeMs += ms),
    join(other) {
      spent.input += other.input;
      spent.output += other.output;
      spent.cached += other.cached;
      spent.activeMs += other.activeMs;
      addCost(other.costUsd);
    },
  };
}

/** What is left of each limit that is set; a cost that is unknown counts as nothing used. */
export function budgetLeft(limits: Limits, spent: Spent): Budget {
  return {
    ...(limits.turns === undefined ? {} : { turns: limits.turns - spent.turns }),
    ...(limits.tokens === undefined ? {} : { tokens: limits.tokens - spent.input - spent.output }),
    ...(limits.costUsd === undefined ? {} : { costUsd: limits.costUsd - (spent.costUsd ?? 0) }),
    ...(limits.activeMs === undefined ? {} : { activeMs: limits.activeMs - spent.activeMs }),
  };
}

/** The first limit with nothing left, in the order turns, tokens, cost, active time. */
export function limitReached(limits: Limits, spent: Spent): { limit: LimitName; used: number; allowed: number } | undefined {
  const left = budgetLeft(limits, spent);
  for (const limit of ["turns", "tokens", "costUsd", "activeMs"] as const) {
    const rest = left[limit];
    const allowed = limits[limit];
    if (rest !== undefined && allowed !== undefined && rest <= 0) return { limit, used: allowed - rest, allowed };
  }
  return undefined;
}
