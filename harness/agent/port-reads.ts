import { sha256 } from "../events/hash.ts";
import type { Json } from "../json.ts";
import { SandboxPathError } from "../sandbox/sandbox.ts";
import type { RunState } from "./run-state.ts";

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
  const { ports, emitter } = state.shared;
  let tail: Promise<unknown> = Promise.resolve();

  const record = <T extends Json>(port: ReadPort, op: string, argsDigest: string, result: T): T => {
    const recorded = emitter.redacted(result);
    emitter.emit("port.read", lane, { port, op, argsDigest, result: recorded });
    return recorded;
  };
  return {
    now(port, op, args, live) {
      const argsDigest = sha256(JSON.stringify(args));
      const answer = ports.recorded ? ports.recorded({ lane, port, op, argsDigest }) : live();
      return record(port, op, argsDigest, answer as ReturnType<typeof live>); // recorded from this very question
    },
    later(port, op, args, live) {
      const argsDigest = sha256(JSON.stringify(args));
      const turn = tail.then(async () => {
        const answer = ports.recorded ? ports.recorded({ lane, port, op, argsDigest }) : await live().catch(asAnswer);
        return unwrap(record(port, op, argsDigest, answer));
      });
      tail = turn.catch(() => undefined);
      return turn as ReturnType<typeof live>; // what `live` answered, or its recording
    },
  };
}

/** A path that cannot be used is an answer like any other: it is recorded and thrown again on replay. */
function asAnswer(error: unknown): Json {
  if (error instanceof SandboxPathError) return { refused: error.message };
  throw error;
}
function unwrap(answer: Json): Json {
  if (typeof answer === "object" && answer !== null && !Array.isArray(answer) && typeof answer["refused"] === "string") {
    throw new SandboxPathError(answer["refused"]);
  }
  return answer;
}
