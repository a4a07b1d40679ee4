import type { JsonObject } from "../../harness/json.ts";
import { isObject } from "../../harness/json.ts";
import type { RunEvent } from "../../harness/events/schema.ts";
import { createRequestRebuilder, type RebuiltRequest } from "../read/rebuild-requests.ts";
import type { SeenReply } from "./observe-run.ts";
import { replyOf } from "./replay-observed.ts";

/** What came of one try: the model's reply, or how it failed, as in `model.attempt`. */
export type RecordedTry =
  | { readonly type: "reply"; readonly attempt: number; readonly reply: SeenReply; readonly redacted: boolean }
  | { readonly type: "failed"; readonly attempt: number; readonly failure: JsonObject };

/** A request of another agent as its run's trace has it. */
export interface RecordedRequest {
  /** Its event, `lane#n`. */
  readonly at: string;
  readonly lane: string;
  /** From 1, in its lane. */
  readonly turn: number;
  readonly request: RebuiltRequest;
  readonly observed: JsonObject;
  /** None where the run was ended before anything came. */
  readonly tries: readonly RecordedTry[];
}

/** The requests of a run in the order in which they came. @throws DamagedError for one that does not fit its hashes */
export function recordedRequests(events: readonly RunEvent[]): RecordedRequest[] {
  const rebuilder = createRequestRebuilder();
  const found = new Map<string, RecordedRequest & { readonly tries: RecordedTry[] }>();
  for (const event of events) {
    const { t, lane, n, cause, d } = event;
    const rebuilt = rebuilder.add(event);
    const attempt = typeof d["attempt"] === "number" ? d["attempt"] : 0;
    const asked = found.get(cause[0] ?? "");
    if (rebuilt) {
      const { params, system, tools, messages } = rebuilt; // read once: each reading of its messages makes a new list
      const observed = isObject(d["observed"]) ? d["observed"] : {};
      const at = `${lane}#${n}`;
      found.set(at, { at, lane, turn: Number(d["turn"]), request: { params, system, tools, messages }, observed, tries: [] });
    } else if (t === "model.response" && asked)
      asked.tries.push({ type: "reply", attempt, reply: replyOf(d), redacted: d["redacted"] === true });
    else if (t === "model.attempt" && asked) asked.tries.push({ type: "failed", attempt, failure: d });
  }
  return [...found.values()];
}
