import { InfraError, messageOf } from "../../errors.ts";
import { sha256 } from "../../hash/sha256.ts";
import type { Json } from "../../json.ts";
import { SandboxPathError } from "../../sandbox/sandbox.ts";
import { begun, type RunState } from "../run-state.ts";

export type ReadPort = "exec" | "files" | "clock" | "random" | "env";

/**
 * The recorded boundary for everything a middleware asks: live, the port is asked and its answer recorded; on replay the recording answers.
 * Asynchronous questions of one middleware are put one after the other, so that their order never depends on which answer was faster.
 */
export interface PortReads {
  now<T extends Json>(port: ReadPort, op: string, args: Json, live: () => T): T;
  later<T extends Json>(port: ReadPort, op: string, args: Json, live: () => Promise<T>): Promise<T>;
}

export function createPortReads(state: RunState, lane: string): PortReads {
  const { ports, emitter, signal } = state.shared;
  const asAnswer = (error: unknown): Json => {
    if (signal.aborted) throw signal.reason;
    return failureOf(error);
  };
  let tail: Promise<unknown> = Promise.resolve();

  const record = <T extends Json>(port: ReadPort, op: string, argsDigest: string, result: T): T => {
    const recorded = emitter.redacted(result);
    emitter.emit("port.read", lane, { port, op, argsDigest, result: recorded });
    return recorded;
  };
  return {
    now(port, op, args, live) {
      const argsDigest = sha256(JSON.stringify(args));
      const answer = ports.recorded ? ports.recorded.now({ lane, port, op, argsDigest }) : live();
      return record(port, op, argsDigest, answer as ReturnType<typeof live>); // recorded from this very question
    },
    later(port, op, args, live) {
      const argsDigest = sha256(JSON.stringify(args));
      const turn = tail.then(async () => {
        const answer = ports.recorded ? await ports.recorded.later({ lane, port, op, argsDigest }) : await live().catch(asAnswer);
        return unwrap(record(port, op, argsDigest, answer));
      });
      tail = turn.catch(() => undefined);
      void begun(state, tail);
      return turn as ReturnType<typeof live>; // what `live` answered, or its recording
    },
  };
}

/**
 * A question that failed is answered like any other: recorded, and thrown again on replay, whatever the middleware makes of it.
 * The end of the run is no answer: what was asked then is not recorded.
 */
function failureOf(error: unknown): Json {
  const kind = error instanceof SandboxPathError ? "path" : error instanceof InfraError ? "infra" : "other";
  return { failed: kind, message: messageOf(error) };
}
function unwrap(answer: Json): Json {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer) || typeof answer["failed"] !== "string") return answer;
  const message = String(answer["message"]);
  if (answer["failed"] === "path") throw new SandboxPathError(message);
  if (answer["failed"] === "infra") throw new InfraError(message);
  throw new Error(message);
}
