import { expect } from "vitest";
import { type Message, text, textOf, type ToolMessage, userMessage } from "../../../harness/contract/messages.ts";
import type { Model, ModelRequest } from "../../../harness/contract/ports.ts";
import type { ReceivedRequest, ScriptedSpeech } from "../../servers/scripted-reply.ts";
import { ask, requestOf } from "./talk.ts";

/** A model that makes two calls at once, and is done when it sees their results: on either wire. */
export function twoCallsThenDone({ body }: Pick<ReceivedRequest, "body">): ScriptedSpeech {
  const messages = body["messages"] as { role: string; content: string | readonly { type: string }[] | null }[]; // as the wires have it
  const isAnswered = messages.some(
    ({ role, content }) => role === "tool" || (Array.isArray(content) && content.some(({ type }) => type === "tool_result")),
  );
  if (isAnswered) return { text: "Done." };
  return {
    text: "Looking.",
    calls: [
      { id: "call_a", name: "bash", args: { command: "ls" } },
      { id: "call_b", name: "read", args: { path: "notes.txt" } },
    ],
  };
}

/** Has that conversation, and returns the messages of its second request. */
export async function haveTwoTurns(model: Model, more: Partial<ModelRequest> = {}): Promise<readonly Message[]> {
  const first = await ask(model, requestOf(more));
  expect(first.calls).toEqual([
    { id: "call_a", name: "bash", args: { command: "ls" } },
    { id: "call_b", name: "read", args: { path: "notes.txt" } },
  ]);
  expect(first.stop).toBe("calls");
  const results = first.calls.map(({ id, name }): ToolMessage => ({
    role: "tool",
    callId: id,
    name,
    status: "ok",
    content: [text("fine")],
  }));
  const messages = [userMessage("Fix it."), first.message, ...results];
  const second = await ask(model, requestOf({ ...more, messages }));
  expect([textOf(second.message.content), second.stop]).toEqual(["Done.", "end"]);
  return messages;
}
