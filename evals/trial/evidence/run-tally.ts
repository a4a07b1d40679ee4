import { createHash } from "node:crypto";
import { canonicalJson } from "../../../harness/hash/canonical-json.ts";
import { isIntervention } from "../../../harness/events/is-intervention.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { createLostCalls, type LostCall } from "./lost-calls.ts";

/** What a trial's record says of a run beyond its result, gathered from the events as they pass. */
export interface RunTally {
  add(event: RunEvent): void;
  readonly interventions: number;
  /** A tool call was asked for: from then on the agent may have broken something. */
  readonly called: boolean;
  /** The model's server's last failure that no answer followed, and how many tries in a row it failed. */
  readonly failure: { readonly kind: string; readonly message: string; readonly status?: number; readonly tries: number } | undefined;
  /** What the model's server kept the run from, where this limit of time ended it. */
  lostCall(limit: string): LostCall | undefined;
  /** Over the model's replies of all lanes, ids of calls left out; null before the first. */
  replyDigest(): string | null;
}

export function createRunTally(): RunTally {
  const replies = createHash("sha256");
  const calls = createLostCalls();
  let count = 0;
  let interventions = 0;
  let called = false;
  let failure: RunTally["failure"];
  return {
    add(event) {
      const { t, lane, n, d } = event;
      calls.add(event);
      if (isIntervention(event)) interventions += 1;
      else if (t === "tool.call") called = true;
      else if (t === "model.attempt" && d["kind"] !== "cut") {
        const { kind, message, status } = d;
        const answered = typeof status === "number" ? { status } : {};
        failure = { kind: String(kind), message: String(message), tries: (failure?.tries ?? 0) + 1, ...answered };
      } else if (t === "model.response") {
        count += 1;
        failure = undefined;
        replies.update(`${lane}#${n} ${canonicalJson(withoutIds(d["message"]))}\n`);
      }
    },
    get interventions() {
      return interventions;
    },
    get called() {
      return called;
    },
    get failure() {
      return failure;
    },
    lostCall: (limit) => calls.atLimit(limit),
    replyDigest: () => (count === 0 ? null : replies.copy().digest("hex")),
  };
}

/** Providers make call ids up again each time. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => (key === "id" || key === "opaque" ? [] : [[key, withoutIds(part)]])),
  );
}
