import { ConfigError } from "../../errors.ts";
import { textOf, type AssistantPart, type ModelReply, type ToolCall } from "../../contract/messages.ts";
import type { Clock, Model, ModelIdentity, ModelRequest } from "../../contract/ports.ts";
import { renderCall } from "../protocols/text-render.ts";
import type { Act, Part } from "./play/act.ts";
import { deltasOf } from "./deltas.ts";
import { draw } from "./draw.ts";
import { drawFaults } from "./faults/draw-faults.ts";
import type { Fault } from "./faults/fault-kinds.ts";
import { FullContext } from "./faults/full-context.ts";
import { longText, nothingToCall } from "./play/lines.ts";
import { charsOf, simulatedCost, simulatedMs, simulatedUsage } from "./meter.ts";
import { nextAct } from "./play/next-act.ts";
import type { Plan } from "./plan.ts";
import { profileOf } from "./profiles.ts";
import { serviceFailure } from "./faults/service-failure.ts";
import { roomNeeded } from "./play/slip.ts";

/** Raised whenever the model answers differently: part of its identity, so that old and new runs do not pool. */
const version = "2";

export interface SimulatedOptions {
  /** The task's `solution/plan.yaml`; undefined where it has none, which is an error. */
  readonly plan: Plan | undefined;
  readonly task: string;
  readonly seed: number;
  /** What a graded profile's rates depend on. */
  readonly family?: string | undefined;
  readonly difficulty?: string | undefined;
  /** A name of `profiles.ts`, or a fault's. Default `default`. */
  readonly profile?: string;
  /** Exactly these faults, in the place of drawn ones. */
  readonly faults?: readonly Fault[];
  /** `text`: stands behind the text protocol, and writes its commands into written blocks. */
  readonly protocol?: "native" | "text";
  /** Take the time that the reply says it took, on this clock. Left out: the time is only told. */
  readonly clock?: Pick<Clock, "sleep">;
  /** Hears at every turn that is a fault; `turn` counts replies from 0. */
  readonly onFault?: (at: { readonly fault: Fault; readonly turn: number }) => void;
}

/** What a simulated model of this profile is called, before there is a task. Throws `ConfigError` for an unknown profile. */
export function simulatedIdentity(profile = "default", protocol: "native" | "text" = "native"): ModelIdentity {
  const { contextTokens } = profileOf(profile);
  return {
    provider: "sim",
    name: profile,
    protocol,
    fingerprint: `simulator-${version}`,
    ...(contextTokens === undefined ? {} : { contextTokens }),
    simulated: true,
    priceTable: "simulated",
  };
}

/**
 * A model that plays the task's plan and goes wrong in named ways (`fault-kinds.ts`), drawn from task and seed. Its reply is a pure function of
 * the request: all state is read off the conversation, so a resumed or repeated call gets the same answer; only a failing service also looks at
 * how often it was tried. It shows that a harness works, and says nothing of real models.
 * Throws `ConfigError` where the task has no plan; its calls throw `ModelError` as a provider's would: a full context, a failing service.
 */
export function createSimulatedModel(o: SimulatedOptions): Model {
  const { plan, task, seed, protocol = "native" } = o;
  const identity = simulatedIdentity(o.profile, protocol);
  const profile = profileOf(identity.name);
  const who = `sim/${identity.name}`;
  if (!plan)
    throw new ConfigError(
      `Task ${task} has no solution/plan.yaml: the simulated model cannot play it; use --model provider/name for a real one.`,
    );
  const drawn = o.faults ?? drawFaults(profile, { plan, task, seed, family: o.family, difficulty: o.difficulty });
  const turns = plan.steps.filter((step) => !step.check).length;
  const part: Part = { plan, task, seed, protocol };
  return {
    identity,
    async call(request, { place, signal, onText }) {
      signal.throwIfAborted();
      // Without a shell it can do nothing: a call on the side, for a judgement or a summary.
      const idle = protocol === "native" && !request.tools.some((tool) => tool.name === "bash");
      const { said, turn } = idle ? { said: { text: nothingToCall, calls: [] } satisfies Act, turn: 0 } : nextAct(request, drawn, part);
      const failure = idle ? undefined : serviceFailure({ drawn, task, seed, turn, attempt: place.attempt, turns, who });
      if (failure && failure.fault !== "breaks-off") {
        o.onFault?.({ fault: failure.fault, turn });
        throw failure.error;
      }
      const { message, calls, usage, stop } = spoken(said, request, { part, turn, pace: profile.pace });
      if (profile.contextTokens !== undefined && usage.input > profile.contextTokens)
        throw new FullContext(who, usage.input, profile.contextTokens);
      const words = (chance: string): number => draw(task, seed, chance, turn);
      const activeMs = simulatedMs(usage, profile.pace, { luck: words("time"), load: words("load") });
      if (o.clock) await o.clock.sleep(activeMs, signal);
      if (onText) {
        const deltas = deltasOf(textOf(message.content), task, seed, turn);
        for (const delta of failure ? deltas.slice(0, Math.ceil(deltas.length / 2)) : deltas) onText(delta);
      }
      if (failure ?? said.fault) o.onFault?.({ fault: failure?.fault ?? (said.fault as Fault), turn }); // one of the two is there
      if (failure) throw failure.error;
      return {
        message,
        calls,
        usage,
        stop,
        costUsd: simulatedCost(usage, profile.pace),
        served: { model: who, fingerprint: `simulator-${version}` },
        activeMs,
      };
    },
  };
}

/** What it says, as far as the request lets it speak. */
function spoken(
  said: Act,
  request: ModelRequest,
  { part, turn, pace }: { part: Part; turn: number; pace: "quick" | "provider" },
): Pick<ModelReply, "message" | "calls" | "usage" | "stop"> {
  const native = part.protocol === "native";
  const calls = said.calls.map((call, i): ToolCall => ({ id: `call_${turn}_${i + 1}`, name: call.tool, args: call.args }));
  const text = said.stop === "length" ? longText(charsOf(roomNeeded(part))) : said.text;
  const written = !native && calls[0] ? `${text}\n\n${renderCall(calls[0].name, calls[0].args)}`.trimStart() : text;
  const content: AssistantPart[] = [
    ...(said.thinking ? [{ type: "thinking" as const, text: said.thinking.text }] : []),
    ...(written === "" ? [] : [{ type: "text" as const, text: written }]),
    ...(native ? calls.map(({ id, name, args }) => ({ type: "call" as const, id, name, args })) : []),
  ];
  const thinkingTokens = said.thinking?.tokens ?? 0;
  const usage = simulatedUsage(request, content, { pace, thinkingTokens });
  const { maxOutputTokens } = request.params;
  if (usage.output <= maxOutputTokens) {
    const made = native ? calls : [];
    return { message: { role: "assistant", content }, calls: made, usage, stop: said.stop ?? (made.length > 0 ? "calls" : "end") };
  }
  // Cut at its length: calls stand behind the text, so they are what is lost.
  const room = charsOf(Math.max(maxOutputTokens - thinkingTokens, 0));
  const cut: AssistantPart[] = content.flatMap((each): AssistantPart[] =>
    each.type === "text" && room > 0 ? [{ ...each, text: written.slice(0, room) }] : each.type === "thinking" ? [each] : [],
  );
  return { message: { role: "assistant", content: cut }, calls: [], usage: { ...usage, output: maxOutputTokens }, stop: "length" };
}
