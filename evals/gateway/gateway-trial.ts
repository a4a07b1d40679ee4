import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../harness/contract/ports.ts";
import type { Limits } from "../../harness/contract/run-result.ts";
import type { JsonObject } from "../../harness/json.ts";
import type { ObservedRun, SeenPlace } from "../../traces/observed/observe-run.ts";
import type { Upstream } from "./upstream.ts";
import type { GatewayWire, ReadRequest } from "./wires/gateway-wire.ts";

/** A trial as the gateway knows it: who answers, what it may use, and where it is recorded. */
export interface GatewayTrial {
  /** What the agent calls its model. */
  readonly model: string;
  readonly upstream: Upstream;
  readonly run: ObservedRun;
  readonly limits: Limits;
  readonly clock: Clock;
  /** What the client says of where a request belongs; undefined: it does not say, and the conversation's beginning decides. */
  readonly laneOf?: (headers: Headers) => string | undefined;
  /** Records what is no request to the model. */
  note(text: string, more?: JsonObject): void;
  /** The agent goes on although it was told to stop. */
  overrun(): void;
}

/** What the gateway remembers of a trial. */
export interface TrialState {
  /** Unix milliseconds at which the last reply had gone out; 0 before. */
  lastReplyAt: number;
  /** Requests that came after a limit was reached; undefined before. */
  refused: number | undefined;
  /** Notes that were made: an agent that loops on a refusal would fill the disk. */
  notes: number;
}
export const newTrialState = (): TrialState => ({ lastReplyAt: 0, refused: undefined, notes: 0 });

/** A request as it came, and the connection that it came on: bodies pass over that as they are, where a `Request` would copy each piece. */
export interface RawRequest {
  readonly url: URL;
  readonly headers: Headers;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The agent closed its connection before its answer was whole. */
  readonly signal: AbortSignal;
}

/** A request that has its place in the run. */
export interface Asked {
  readonly trial: GatewayTrial;
  readonly state: TrialState;
  readonly wire: GatewayWire;
  readonly raw: RawRequest;
  readonly text: string;
  readonly body: JsonObject;
  readonly read: ReadRequest;
  readonly place: SeenPlace;
}

/** Requests after "stop now" that are answered the same before the agent's process is ended: what runs in parallel hears it once each. */
const mostAfterStop = 3;

/** The answer at which agents of a wire give up. @param why without its full stop */
export function stopNow(trial: Pick<GatewayTrial, "overrun">, state: TrialState, wire: GatewayWire, why: string): Response {
  state.refused = (state.refused ?? 0) + 1;
  if (state.refused > mostAfterStop) trial.overrun();
  const words = `${why}. Stop now: no further request is answered.`;
  return Response.json(wire.error(wire.stopStatus, words), { status: wire.stopStatus, headers: { "x-should-retry": "false" } });
}
