import { afterEach, expect, test } from "vitest";
import { text, userMessage } from "../../../../harness/contract/messages.ts";
import { createModel } from "../../../../harness/models/create-model.ts";
import { startStrictGemini } from "../../../servers/strict/strict-gemini.ts";
import type { StrictServer } from "../../../servers/strict-server.ts";
import { ask, clock, requestOf } from "../talk.ts";
import { haveTwoTurns, twoCallsThenDone } from "../two-turns.ts";

let server: StrictServer;
afterEach(() => server.close());

async function gemini(name = "gemini-3.6-flash", key = "AIza-key") {
  server = await startStrictGemini(twoCallsThenDone);
  const baseUrl = `${server.origin}/v1beta/openai`;
  return createModel({ name: `gemini/${name}`, protocol: "native", maxOutputTokens: 100, baseUrl }, { GEMINI_API_KEY: key }, { clock });
}

test("two calls under one index are two calls, and their signature goes back as it came", async () => {
  const model = await gemini();
  const messages = await haveTwoTurns(model, { seed: 7 });
  expect(server.refusals).toEqual([]);
  const [, assistant] = messages;
  const opaque = { type: "tool_call", extra_content: { google: { thought_signature: expect.any(String) } } };
  expect(assistant?.content).toEqual([
    text("Looking."),
    { type: "call", id: "call_a", name: "bash", args: { command: "ls" }, opaque },
    { type: "call", id: "call_b", name: "read", args: { path: "notes.txt" } },
  ]);
  expect(server.requests[1]?.body).toMatchObject({
    messages: [{}, {}, { tool_calls: [{ id: "call_a", extra_content: {} }, { id: "call_b" }] }, {}, {}],
  });
  expect(server.requests[0]?.headers.authorization).toBe("Bearer AIza-key");
});

test("a conversation without the signature is refused in Google's own words, which come in a list", async () => {
  const model = await gemini();
  const call = { type: "call", id: "call_a", name: "bash", args: {} } as const;
  const result = { role: "tool", callId: "call_a", name: "bash", status: "ok", content: [text("fine")] } as const;
  const messages = [userMessage("Fix it."), { role: "assistant", content: [call] } as const, result];
  await expect(ask(model, requestOf({ messages }))).rejects.toMatchObject({
    kind: "invalid",
    status: 400,
    message: expect.stringContaining("answered 400: Function call is missing a thought_signature in functionCall parts"),
  });
});

test("a field that it does not know ends the job, with its name", async () => {
  const model = await gemini();
  const asked = createModel(
    {
      name: "gemini/gemini-3.6-flash",
      protocol: "native",
      maxOutputTokens: 100,
      baseUrl: `${server.origin}/v1beta/openai`,
      extra: { top_k: 20 },
    },
    {},
    { clock },
  );
  await expect(ask(await asked)).rejects.toMatchObject({
    kind: "parameter",
    message: expect.stringMatching(/Unknown name "top_k".*Take top_k out of model\.extra/),
  });
  expect((await ask(model)).calls).toHaveLength(2);
});

test("a wrong key, which Google answers with 400, is named as such", async () => {
  await expect(ask(await gemini("gemini-3.6-flash", "wrong"))).rejects.toMatchObject({
    kind: "auth",
    message: "gemini/gemini-3.6-flash answered 400: API key not valid. Please pass a valid API key. Check the API key in the environment.",
  });
});

test.each([
  ["gemini-3.8-flash", "minimal", "low"],
  ["gemini-3.6-flash", "xhigh", "high"],
  ["gemini-3.6-flash", "minimal", "minimal"],
  ["gemini-2.5-flash", "none", "none"],
] as const)("%s gets effort %s as %s", async (name, effort, sent) => {
  const model = await gemini(name);
  await ask(model, requestOf({ params: { maxOutputTokens: 100, effort } }));
  expect(server.refusals).toEqual([]);
  expect(server.requests[0]?.body).toMatchObject({ reasoning_effort: sent, max_tokens: 100 });
});

test("Google's own address needs a key, under either name, and has a price", async () => {
  const make = (env: Record<string, string>) =>
    createModel({ name: "gemini/gemini-3.6-flash", protocol: "native", maxOutputTokens: 100 }, env, { clock });
  await expect(make({})).rejects.toThrow("needs a key, and neither GEMINI_API_KEY nor GOOGLE_API_KEY is set; export GEMINI_API_KEY=…");
  expect((await make({ GOOGLE_API_KEY: "k" })).identity).toMatchObject({ provider: "gemini", priceTable: "2026-11-25" });
  server = await startStrictGemini(twoCallsThenDone);
});
