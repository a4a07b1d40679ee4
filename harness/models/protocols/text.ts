import { type AssistantPart, type Message, type ModelReply, text, textOf, type ToolCall } from "../../contract/messages.ts";
import type { Model, ModelRequest } from "../../contract/ports.ts";
import { parseTextReply } from "./text-parse.ts";
import { protocolPrompt } from "./text-prompts.ts";
import { renderCall, renderConversation } from "./text-render.ts";

/**
 * Tool use for a model without native calls: tools are explained in the system prompt, results go back as user messages, and a call is read
 * out of the reply, one a turn: a fenced bash command, JSON in a fence, or `<|tool_call|>`. A reply without one is the end, as is DONE.
 * The message keeps its text and has no `call` parts. A call that cannot be read has `error` set, for the registry to answer with.
 */
export function withTextProtocol(model: Model): Model {
  return {
    identity: { ...model.identity, protocol: "text" },
    async call(request, o) {
      const tools = request.tools.map((tool) => tool.name);
      const reply = await model.call(asTextRequest(request, tools), o);
      return { ...reply, ...readReply(reply, tools, nextId(request.messages)) };
    },
  };
}

function asTextRequest(request: ModelRequest, tools: readonly string[]): ModelRequest {
  // a configuration brings the explanation as a section of its own, so that it is hashed and recorded and can be replaced
  const explained = request.system.some((section) => section.name === "protocol");
  const prompt = explained ? "" : protocolPrompt(request.tools);
  return {
    ...request,
    system: prompt === "" ? request.system : [...request.system, { name: "protocol", text: prompt }],
    messages: renderConversation(request.messages, tools),
    tools: [],
  };
}

function readReply(reply: ModelReply, tools: readonly string[], id: string): Pick<ModelReply, "message" | "calls" | "stop"> {
  const said = textOf(reply.message.content);
  const parsed = parseTextReply(said, { tools, cutOff: reply.stop === "length" });
  const thinking = reply.message.content.filter((part) => part.type === "thinking");
  // A server may parse a call that the model printed; it is written back, so that the conversation reads as one of text.
  const native = parsed.call === undefined && tools.length > 0 ? reply.calls[0] : undefined;
  const call = native ?? parsed.call;
  const words =
    native === undefined ? parsed.text : [said, renderCall(native.name, native.args)].filter((part) => part !== "").join("\n\n");
  const spoken: AssistantPart[] = words === "" ? [] : [text(words)];
  const calls: ToolCall[] = call === undefined || tools.length === 0 || reply.stop === "refusal" ? [] : [{ ...call, id }];
  const stop = calls.length > 0 && reply.stop !== "length" ? "calls" : calls.length === 0 && reply.stop === "calls" ? "end" : reply.stop;
  return { message: { role: "assistant", content: [...thinking, ...spoken] }, calls, stop };
}

/** `text-<turn>`, counted by the assistant's messages and moved past the ids that are taken (a compaction takes messages away). */
function nextId(messages: readonly Message[]): string {
  const taken = new Set(messages.flatMap((message) => (message.role === "tool" ? [message.callId] : [])));
  let turn = messages.filter((message) => message.role === "assistant").length;
  while (taken.has(`text-${turn}`)) turn++;
  return `text-${turn}`;
}
