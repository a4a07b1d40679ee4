import { limitReached } from "../../harness/agent/spent.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import { answerRecorded } from "./answer-recorded.ts";
import { passOn } from "./pass-on.ts";
import { readBody } from "./read-body.ts";
import { translate } from "./translate.ts";
import { stopNow, type Asked, type GatewayTrial, type RawRequest, type TrialState } from "./gateway-trial.ts";
import type { GatewayWire } from "./wires/gateway-wire.ts";

const mostNotes = 50;

/** Answers one request to a model; undefined where the answer has gone out already. */
export async function answerRequest(
  trial: GatewayTrial,
  state: TrialState,
  wire: GatewayWire,
  raw: RawRequest,
): Promise<Response | undefined> {
  const arrived = trial.clock.now();
  const refuse = (status: number, words: string): Response => {
    if (state.notes++ < mostNotes) trial.note(`The gateway refused a request with ${status}: ${words}`, { status, path: wire.path });
    return Response.json(wire.error(status, words), { status });
  };
  const body = await readBody(raw.incoming);
  if ("why" in body) return refuse(body.status, body.why);
  const read = wire.read(body.json);
  if (read.model !== trial.model)
    return refuse(404, `The model ${JSON.stringify(read.model.slice(0, 100))} is not the one of this run, which is ${trial.model}.`);
  const { upstream } = trial;
  if (upstream.type === "pass" && upstream.wire !== wire.name)
    return refuse(404, `${upstream.identity.provider}/${upstream.identity.name} is asked over ${upstream.wire}, not over ${wire.name}.`);
  const stopped = stop(trial, state, wire);
  if (stopped) return stopped;
  const lane = trial.laneOf?.(raw.headers);
  const seen = {
    request: read.request,
    observed: {
      wire: wire.name,
      path: raw.url.pathname.replace(/^\/t\/[^/]+/, ""),
      stream: read.stream,
      bytes: Buffer.byteLength(body.text),
      sha256: sha256(body.text),
      fields: read.fields,
      sinceMs: state.lastReplyAt === 0 ? 0 : Math.max(0, arrived - state.lastReplyAt),
      ...(lane === undefined ? {} : { lane }),
    },
  };
  if (upstream.type === "recorded") return answerRecorded({ trial, state, wire, raw, read }, upstream.answer(seen));
  const place = trial.run.request(seen);
  const asked: Asked = { trial, state, wire, raw, text: body.text, body: body.json, read, place };
  return upstream.type === "pass" ? passOn(asked, upstream) : translate(asked, upstream);
}

/** A limit is checked before each model call, as Forge's own loop does. */
function stop(trial: GatewayTrial, state: TrialState, wire: GatewayWire): Response | undefined {
  const hit = limitReached(trial.limits, trial.run.spent);
  if (!hit) return undefined;
  if (state.refused === undefined) trial.run.limit(hit);
  return stopNow(trial, state, wire, `This run has reached its limit ${hit.limit} (${hit.used} of ${hit.allowed})`);
}
