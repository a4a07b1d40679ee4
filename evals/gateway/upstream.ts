import type { ModelIdentity, ModelPlace, ModelRequest, TimedReply } from "../../harness/contract/ports.ts";
import type { AgentWireName } from "../../harness/contract/resolved-config.ts";
import type { Price } from "../../harness/contract/model-row.ts";
import type { RateLimitGate } from "../../harness/models/rate-limits/rate-limit-gate.ts";
import type { SeenRequest } from "../../traces/observed/observe-run.ts";
import type { RecordedAnswer } from "../../traces/observed/recorded-answers.ts";

/** What answers an agent's requests. */
export type Upstream = PassedOn | Translated | Recorded;

/** The provider itself, on the agent's own wire: bytes go through as they are, with the real key in the place of the trial's token. */
export interface PassedOn {
  readonly type: "pass";
  readonly wire: AgentWireName;
  readonly url: string;
  /** The key among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly identity: ModelIdentity;
  readonly price: Price | undefined;
  /** Shared by all trials of one account. */
  readonly gate?: RateLimitGate;
}

/** A model that Forge asks itself: a simulated one, or a local server that speaks another wire. */
export interface Translated {
  readonly type: "translate";
  readonly identity: ModelIdentity;
  /** `brokenOff`: the stream ends before its end. @throws ModelError */
  ask(
    request: ModelRequest,
    o: { readonly place: ModelPlace; readonly signal: AbortSignal },
  ): Promise<{ readonly reply: TimedReply; readonly brokenOff?: boolean }>;
}

/** A recorded run of the same agent, which is asked in place of any model. */
export interface Recorded {
  readonly type: "recorded";
  readonly identity: ModelIdentity;
  answer(seen: SeenRequest): RecordedAnswer;
}
