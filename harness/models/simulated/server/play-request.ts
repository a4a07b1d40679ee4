import { textOf, type ModelReply } from "../../../contract/messages.ts";
import type { TimedReply } from "../../../contract/ports.ts";
import { ModelError } from "../../../contract/model-error.ts";
import { draw } from "../draw.ts";
import { fits } from "../faults/draw-faults.ts";
import type { Fault } from "../faults/fault-kinds.ts";
import { createSimulatedModel } from "../simulated-model.ts";
import { noModel, seedNamed } from "./model-name.ts";
import { findTask, type ServedTask } from "./served-tasks.ts";
import { findShell, fromShell, toShell } from "./shell-tool.ts";
import { BadRequest, type Asked } from "./wire.ts";

export interface Served {
  readonly tasks: readonly ServedTask[];
  /** Default `default`. */
  readonly profile?: string;
  /** Each run commits one of these, in the place of drawn ones. */
  readonly faults?: readonly Fault[];
}

/** A reply; `brokenOff`: what would have been said, had the stream not ended before. */
export interface Played {
  readonly reply: TimedReply;
  readonly brokenOff: boolean;
}

/**
 * Answers a request as the simulated model of its name that plays the task it is about. Throws `BadRequest` for an unknown model, a conversation about no
 * served task, or one without a shell; `ModelError` as the model's service fails.
 */
export function createPlayer(
  o: Served,
): (asked: Asked, at: { readonly attempt: () => number; readonly signal: AbortSignal }) => Promise<Played> {
  const taskOf = findTask(o.tasks);
  return async (asked, { attempt, signal }) => {
    const seed = seedOf(asked);
    const { messages, tools } = asked.request;
    const shell = findShell(tools);
    const writes = tools.length === 0 && explainsWrittenCalls(asked);
    // Without tools it is a call on the side, for a title or a summary, whatever it is about.
    const task = taskOf(messages) ?? (tools.length === 0 && !writes ? o.tasks[0] : undefined);
    if (!task) throw noTask();
    if (tools.length > 0 && !shell) throw noShell(tools.map(({ name }) => name));
    const { name, plan, family, difficulty } = task;
    const model = createSimulatedModel({
      plan,
      task: name,
      family,
      difficulty,
      seed,
      protocol: writes ? "text" : "native",
      ...(o.profile === undefined ? {} : { profile: o.profile }),
      ...(o.faults === undefined
        ? {}
        : {
            faults: oneOf(
              o.faults.filter((fault) => fits(fault, plan)),
              name,
              seed,
            ),
          }),
    });
    const request = {
      ...asked.request,
      messages: fromShell(messages, shell),
      tools: tools.map((tool) => (tool.name === shell?.name ? { ...tool, name: "bash" } : tool)),
    };
    const call = async (tries: number): Promise<TimedReply> => {
      const reply = await model.call(request, { place: { lane: "main", ordinal: 0, attempt: tries }, signal });
      return inItsWords(reply, (made) => toShell(made, shell));
    };
    try {
      return { reply: await call(attempt()), brokenOff: false };
    } catch (error) {
      if (!(error instanceof ModelError) || error.kind !== "stream") throw error;
      return { reply: await call(Number.MAX_SAFE_INTEGER), brokenOff: true };
    }
  };
}

function inItsWords(reply: TimedReply, word: (call: ModelReply["calls"][number]) => ModelReply["calls"][number]): TimedReply {
  const content = reply.message.content.map((part) => (part.type === "call" ? { ...part, ...word(part) } : part));
  return { ...reply, calls: reply.calls.map(word), message: { ...reply.message, content } };
}

/** The text protocol: the conversation begins with how a call is written. */
function explainsWrittenCalls({ request: { system, messages } }: Asked): boolean {
  const first = messages[0];
  const told = [...system.map(({ text }) => text), ...(first ? [textOf(first.content)] : [])];
  return told.some((text) => /```(bash|sh|json)\b|<\|tool_call\|>/.test(text));
}

/** The model's own seed, and with it the request's, where there is one: repeats of one task then differ. */
function seedOf({ model, seed: asked }: Asked): number {
  const seed = seedNamed(model);
  if (seed === undefined) throw noModel(model);
  return asked === undefined ? seed : Math.floor(draw("request seed", seed, asked) * 2 ** 31);
}

function oneOf(faults: readonly Fault[], task: string, seed: number): readonly Fault[] {
  const one = faults[Math.floor(draw(task, seed, "one fault") * faults.length)];
  return one === undefined ? [] : [one];
}

const noTask = (): BadRequest =>
  new BadRequest({
    type: "invalid",
    words:
      "messages: no task served here has this instruction. Begin the conversation with the whole text of a task's instruction.md, or serve the folder that it is in.",
    param: "messages",
  });
const noShell = (names: readonly string[]): BadRequest =>
  new BadRequest({
    type: "invalid",
    words: `tools: none of ${names.join(", ")} runs a command line. Offer one, such as bash with a string called command.`,
    param: "tools",
  });
