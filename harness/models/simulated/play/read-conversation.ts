import { textOf, type AssistantMessage, type Message } from "../../../contract/messages.ts";
import { doneTooEarly, onlyFirst } from "../../protocols/text-prompts.ts";

interface Answer {
  readonly carriedOut: boolean;
  readonly succeeded: boolean;
  readonly talk: readonly string[];
}
/** One turn and what came back: whether a call was carried out, whether one went well, and what the harness said besides. */
export interface Heard extends Answer {
  readonly said: AssistantMessage;
}
/** A conversation as the simulated model reads it. */
export interface Conversation {
  /** Said before the first turn, besides the task: the harness's onboarding. */
  readonly context: readonly string[];
  /** One for each turn so far. */
  readonly heard: readonly Heard[];
}

/**
 * Every user message that is not the task is the harness talking, and so is a denied call. With the text protocol results are user messages
 * too, joined with what was said beside them: an `<output>` at the start is told apart from the rest.
 */
export function readConversation(messages: readonly Message[], protocol: "native" | "text"): Conversation {
  const turns = messages.flatMap((message, i) => (message.role === "assistant" ? [i] : []));
  const before = messages.slice(0, turns[0]).map((message) => textOf(message.content));
  return {
    // The text protocol has joined the task and what follows it.
    context: protocol === "text" ? before : before.slice(1),
    heard: turns.flatMap((at, n) => {
      const said = messages[at];
      return said?.role === "assistant" ? [{ said, ...hear(messages.slice(at + 1, turns[n + 1])) }] : [];
    }),
  };
}

function hear(after: readonly Message[]): Answer {
  const each = after.map((message): Answer => {
    if (message.role !== "tool") return hearText(textOf(message.content));
    const denied = message.status === "denied";
    return { carriedOut: !denied, succeeded: message.status === "ok", talk: denied ? [textOf(message.content)] : [] };
  });
  return {
    carriedOut: each.some((one) => one.carriedOut),
    succeeded: each.some((one) => one.succeeded),
    talk: each.flatMap((one) => one.talk),
  };
}

function hearText(message: string): Answer {
  const result = /^<output(?: status="(\w+)")?>\n[\s\S]*\n<\/output>/.exec(message);
  if (!result) return { carriedOut: false, succeeded: false, talk: [message] };
  const denied = result[1] === "denied";
  const rest = message.slice(result[0].length).replace(onlyFirst, "").replace(doneTooEarly, "").trim();
  return {
    carriedOut: !denied,
    succeeded: result[1] === undefined,
    talk: [...(denied ? [result[0]] : []), ...(rest === "" ? [] : [rest])],
  };
}
