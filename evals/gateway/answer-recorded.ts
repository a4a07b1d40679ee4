import { brokenOff } from "../../harness/models/simulated/server/stream-response.ts";
import type { RecordedAnswer } from "../../traces/observed/recorded-answers.ts";
import { stopNow, type Asked } from "./gateway-trial.ts";
import { mostKept } from "./pass-on.ts";
import { failedWith, idOfReply, sent } from "./translate.ts";
import type { WrittenReply } from "./wires/gateway-wire.ts";

/** Answers a request of an agent that runs again: with what was recorded, on the wire and in the form in which it came then. Nothing is asked of anyone. */
export async function answerRecorded(
  { trial, state, wire, raw, read }: Omit<Asked, "place" | "text" | "body">,
  answer: RecordedAnswer,
): Promise<Response> {
  const { signal } = raw;
  if (answer.type === "lost") {
    trial.overrun();
    return stopNow(trial, state, wire, "This request is not in the recording");
  }
  if (answer.type === "limit") return stopNow(trial, state, wire, "The recorded run reached its limit here");
  if (answer.type === "nothing") return neverAnswered(signal);
  const { tried, request } = answer;
  if (tried.type === "failed") {
    const { kind, message, status, retryAfterMs } = tried.failure;
    if (kind === "cut") return neverAnswered(signal);
    const failure = {
      kind: String(kind),
      message: String(message),
      ...(typeof status === "number" ? { status } : {}),
      ...(typeof retryAfterMs === "number" ? { retryAfterMs } : {}),
    };
    if (kind === "stream") return brokenOff([": broken off\n\n"], { stream: read.stream, headers: {}, hangUp: undefined });
    return failedWith(wire, kind === "connection" ? { status: 502, ...failure } : failure);
  }
  const { observed } = tried.reply;
  const { body, status, type } = observed;
  if (typeof body === "string" && typeof type === "string" && body.length < mostKept) {
    const headers = type === "" ? {} : { "content-type": type };
    // it was recorded when its last event had come, before the empty line behind that
    const whole = type.includes("text/event-stream") ? `${body.replace(/\n*$/, "")}\n\n` : body;
    return new Response(whole, { status: typeof status === "number" ? status : 200, headers });
  }
  const id = idOfReply({ lane: request.lane, ordinal: request.turn - 1, attempt: tried.attempt });
  const written: WrittenReply = { model: read.model, withUsage: read.withUsage, reply: tried.reply, id };
  return sent(read.stream ? wire.stream(written) : [JSON.stringify(wire.whole(written))], read.stream, signal);
}

/** Waits as long as the agent does. */
const neverAnswered = (signal: AbortSignal): Promise<Response> =>
  new Promise((resolve) => {
    const end = (): void => resolve(new Response(null, { status: 499 }));
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
