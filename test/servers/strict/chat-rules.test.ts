import { expect, it } from "vitest";
import { openAiRefusal } from "./strict-openai.ts";

const user = { role: "user", content: "Go on." };
const call = (id: string, name = "bash") => ({ id, type: "function", function: { name, arguments: "{}" } });
const calls = (...tool_calls: object[]) => ({ role: "assistant", content: null, tool_calls });
const result = (tool_call_id: string, content: unknown = "ok") => ({ role: "tool", tool_call_id, content });
const answer = (more: object) => {
  const body = { model: "gpt-5", messages: [user], ...more };
  return openAiRefusal({ method: "POST", path: "/v1/chat/completions", headers: {}, text: JSON.stringify(body), body });
};

it.each<[string, string, string | null, string | null, object]>([
  ["an unknown field", "Unrecognized request argument supplied: top_k", null, null, { top_k: 1 }],
  [
    "a call without its result",
    "did not have response messages: b",
    "messages.[3].role",
    null,
    { messages: [user, calls(call("a"), call("b")), result("a"), user] },
  ],
  ["a call at the end", "did not have response messages: a", "messages.[2].role", null, { messages: [user, calls(call("a"))] }],
  ["a result without its call", "must be a response to", "messages.[1].role", null, { messages: [user, result("a")] }],
  [
    "an image in a result",
    "Invalid content type.",
    "messages.[2].content",
    null,
    { messages: [user, calls(call("a")), result("a", [{ type: "image_url" }])] },
  ],
  [
    "an odd name",
    "does not match pattern",
    "messages[1].tool_calls[0].function.name",
    "invalid_value",
    { messages: [user, calls(call("a", "a.b")), result("a")] },
  ],
  [
    "an assistant without words",
    "expected a string, got null",
    "messages.[1].content",
    null,
    { messages: [user, { role: "assistant", content: null }] },
  ],
])("refuses %s", (_, words, param, code, more) => {
  expect(answer(more)).toMatchObject({
    status: 400,
    body: { error: { type: "invalid_request_error", param, code, message: expect.stringContaining(words) as string } },
  });
});

it("takes parallel calls with an image behind their results", () => {
  const image = { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } }] };
  expect(answer({ messages: [user, calls(call("a"), call("b")), result("a"), result("b"), image] })).toBeUndefined();
});
