import { textOf, type ModelReply } from "../contract/messages.ts";
import type { Outcome } from "../contract/run-result.ts";
import { holdsPrintedCall } from "../models/protocols/printed-call.ts";
import * as prompt from "./prompts/unfinished.ts";
import { messageFrom, type RunState } from "./run-state.ts";

/** Under this name the loop's own messages are events among those of the middlewares. */
export const loopsOwn = "loop";

/** A reply without a call that is no end, each kind answered once until a call is made again. */
type Kind = "cut" | "empty" | "printed";

/**
 * From version 2 on the loop takes a reply without a call as the end only where the model said something, said all of it, and did not mean to call:
 * "goes on" after a message that names the fault, the outcome where the same fault comes again, undefined for an end.
 */
export interface Endings {
  called(): void;
  judge(reply: ModelReply): Outcome | "goes on" | undefined;
}

export function createEndings(state: RunState): Endings {
  const { config, emitter } = state.shared;
  const answered = new Set<Kind>();

  const goOn = (kind: Kind, text: string, why: string): "goes on" => {
    answered.add(kind);
    const d = { name: loopsOwn, phase: "finish", change: "resume", text, why };
    const ref = emitter.emit("middleware", `${state.lane}/mw:${loopsOwn}`, d);
    state.pending.push(messageFrom(state, text, ref));
    return "goes on";
  };
  const agentError = (message: string): Outcome => ({ type: "error", kind: "agent", message });

  return {
    called: () => answered.clear(),
    judge(reply) {
      if ((config.loop ?? 1) < 2) return undefined;
      const said = textOf(reply.message.content);
      if (reply.stop === "length") {
        const allowed = state.log.log.turns.at(-1)?.params.maxOutputTokens ?? config.model.maxOutputTokens;
        const limit = reply.cutAt ?? `${allowed} output tokens`;
        if (!answered.has("cut")) return goOn("cut", prompt.cut(limit), `the reply was cut at ${limit}`);
        emitter.emit("limit.hit", state.lane, { limit: "output", used: reply.usage.output, allowed });
        return { type: "limit", limit: "output" };
      }
      if (said.trim() === "") {
        if (answered.has("empty")) return agentError("The model's reply was empty twice.");
        return goOn("empty", prompt.empty(config.model.protocol), "the reply was empty");
      }
      const { protocol } = config.model;
      if (!holdsPrintedCall(said, config.tools, { native: protocol === "native" })) return undefined;
      if (answered.has("printed")) return agentError("The model printed a call that cannot be read twice, instead of making it.");
      return goOn("printed", prompt.printed(protocol, config.tools), "the reply holds a call that was printed and not made");
    },
  };
}
