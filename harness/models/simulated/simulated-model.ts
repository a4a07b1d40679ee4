import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError } from "../../errors.ts";
import type { AssistantPart, ToolCall, ToolSchema } from "../../agent/messages.ts";
import type { Model, ModelIdentity, ModelRequest } from "../../agent/ports.ts";
import { draw } from "./draw.ts";
import { renderCall } from "../protocols/text-render.ts";
import { profiles, type Fault } from "./faults.ts";
import { drawFaults, planItinerary } from "./itinerary.ts";
import { nothingToCall } from "./lines.ts";
import { simulatedCost, simulatedUsage } from "./meter.ts";
import { act, hear, setOut, type Act, type Part } from "./play.ts";
import type { Plan } from "./plan.ts";
import { readConversation } from "./read-conversation.ts";

/** Raised whenever the model answers differently: part of its identity, so that old and new runs do not pool. */
const version = "1";

export interface SimulatedOptions {
  /** The task's `solution/plan.yaml`; undefined where it has none, which is an error. */
  readonly plan: Plan | undefined;
  readonly task: string;
  readonly seed: number;
  /** `default`, `careless` or `perfect`. */
  readonly profile?: string;
  /** `text`: stands behind the text protocol, and writes its commands into written blocks. */
  readonly protocol?: "native" | "text";
  /** Take the time that the reply says it took. */
  readonly realtime?: boolean;
}

/** What a simulated model of this profile is called, before there is a task. Throws `ConfigError` for an unknown profile. */
export function simulatedIdentity(profile = "default", protocol: "native" | "text" = "native"): ModelIdentity {
  if (!Object.hasOwn(profiles, profile))
    throw new ConfigError(
      `There is no simulated model "sim/${profile}"; there are ${Object.keys(profiles)
        .map((name) => `sim/${name}`)
        .join(", ")}.`,
    );
  return { provider: "sim", name: profile, protocol, fingerprint: `simulator-${version}`, simulated: true, priceTable: "simulated" };
}

/**
 * A model that plays the task's plan and goes wrong in named ways (`faults.ts`), drawn from task and seed. Its reply is a pure function of the
 * request: all state is read off the conversation, so a resumed or repeated call gets the same answer. It shows that a harness works, and
 * says nothing of real models.
 * Throws `ConfigError` where the task has no plan.
 */
export function createSimulatedModel(o: SimulatedOptions): Model {
  const { plan, task, seed, protocol = "native" } = o;
  const identity = simulatedIdentity(o.profile, protocol);
  if (!plan)
    throw new ConfigError(
      `Task ${task} has no solution/plan.yaml: the simulated model cannot play it; use --model provider/name for a real one.`,
    );
  const rates = profiles[identity.name];
  const drawn = rates ? drawFaults({ task, seed, rates }) : [];
  const part: Part = { plan, task, seed, protocol };
  return {
    identity,
    async call(request, { signal, onText }) {
      signal.throwIfAborted();
      // Without a shell it can do nothing: a call on the side, for a judgement or a summary.
      const idle = protocol === "native" && !request.tools.some((tool) => tool.name === "bash");
      const { said, turn } = idle ? { said: { text: nothingToCall, calls: [] }, turn: 0 } : nextAct(request, drawn, part);
      const calls = said.calls.map((call, i): ToolCall => ({ id: `call_${turn}_${i + 1}`, name: call.tool, args: call.args }));
      const written =
        protocol === "text" && calls[0] ? `${said.text}\n\n${renderCall(calls[0].name, calls[0].args)}`.trimStart() : said.text;
      const content: AssistantPart[] = [
        ...(written === "" ? [] : [{ type: "text" as const, text: written }]),
        ...(protocol === "native" ? calls.map(({ id, name, args }) => ({ type: "call" as const, id, name, args })) : []),
      ];
      const usage = simulatedUsage(request, content);
      const activeMs = 20 + 2 * usage.output + Math.floor(30 * draw(task, seed, "time", turn));
      if (o.realtime) await sleep(activeMs, undefined, { signal });
      if (written !== "") onText?.(written);
      const made = protocol === "native" ? calls : [];
      return {
        message: { role: "assistant", content },
        calls: made,
        usage,
        stop: made.length > 0 ? "calls" : "end",
        costUsd: simulatedCost(usage),
        served: { model: `sim/${identity.name}`, fingerprint: `simulator-${version}` },
        activeMs,
      };
    },
  };
}

/** Plays the conversation again from its start, to where the next turn is due. */
function nextAct(request: ModelRequest, drawn: readonly Fault[], o: Part): { said: Act; turn: number } {
  const plan = playable(o.plan, o.protocol, request.tools);
  const part = { ...o, plan };
  const { context, heard } = readConversation(request.messages, o.protocol);
  const told = [...context, ...request.system.map((section) => section.text)];
  const start = setOut(planItinerary(plan, drawn, part), told, part);
  const stand = heard.reduce((at, each) => hear(act(at, part).stand, each, part), start);
  return { said: act(stand, part).act, turn: heard.length };
}

/** The plan with the calls that can be made here: natively those of the tools there are; with the text protocol one call a turn. */
function playable(plan: Plan, protocol: "native" | "text", tools: readonly ToolSchema[]): Plan {
  const able = (steps: Plan["steps"]): Plan["steps"] =>
    protocol === "text"
      ? steps.flatMap((step) => step.calls.map((call) => ({ ...step, calls: [call] })))
      : steps
          .map((step) => ({ ...step, calls: step.calls.filter((call) => tools.some((tool) => tool.name === call.tool)) }))
          .filter((step) => step.calls.length > 0);
  return { ...plan, steps: able(plan.steps), ...(plan.slip ? { slip: able(plan.slip) } : {}) };
}
