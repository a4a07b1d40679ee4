import { textOf, type AssistantMessage, type ModelParams, type ToolSchema } from "../../../contract/messages.ts";
import type { ModelRequest } from "../../../contract/ports.ts";
import type { Act, Part } from "./act.ts";
import type { Fault } from "../faults/fault-kinds.ts";
import { planItinerary } from "./itinerary.ts";
import type { Plan } from "../plan.ts";
import { act, hear, setOut, spared, type Stand } from "./play.ts";
import { readConversation } from "./read-conversation.ts";
import { roomNeeded } from "./slip.ts";

/** Plays the conversation again from its start, to where the next turn is due. `turn` counts from 0. */
export function nextAct(request: ModelRequest, drawn: readonly Fault[], o: Part): { said: Act; turn: number } {
  const plan = playable(o.plan, o.protocol, request.tools);
  const part = { ...o, plan };
  const { context, heard } = readConversation(request.messages, o.protocol);
  const told = [...context, ...request.system.map((section) => section.text)];
  let stand: Stand = setOut(planItinerary(plan, drawn, part), told, part);
  for (const each of heard) {
    let taken = act(stand, part);
    // Parameters may have been others then: what was said tells whether the fault happened.
    if (isPreventable(taken.act.fault) && !saidSo(each.said, taken.act)) taken = act(spared(stand), part);
    stand = hear(lost(each.said, taken.act, part) ? { ...stand, turn: taken.stand.turn } : taken.stand, each, part);
  }
  const due = act(stand, part).act;
  const said = isPrevented(due.fault, request.params, part) ? act(spared(stand), part).act : due;
  return { said, turn: heard.length };
}

/** Faults that the parameters of a request keep from happening. */
const isPreventable = (fault: Fault | undefined): boolean => fault === "over-thinks" || fault === "cuts-reply-off";

function isPrevented(fault: Fault | undefined, params: ModelParams, o: Part): boolean {
  if (fault === "over-thinks") return params.effort === "minimal" || params.effort === "low";
  return fault === "cuts-reply-off" && params.maxOutputTokens >= roomNeeded(o);
}

/** The reply was cut before its calls: what they were to do is still to be done. */
const lost = ({ content }: AssistantMessage, { calls }: Act, { protocol }: Part): boolean =>
  protocol === "native" && calls.length > 0 && !content.some((part) => part.type === "call");

const saidSo = (said: AssistantMessage, { text }: Act): boolean => textOf(said.content).startsWith(text);

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
