import { afterEach, expect, test } from "vitest";
import type { Message, ToolMessage } from "../../../../harness/contract/messages.ts";
import { text, userMessage } from "../../../../harness/contract/messages.ts";
import { createOpenAiModel } from "../../../../harness/models/providers/openai.ts";
import { createRefusalMemory } from "../../../../harness/models/retry/refusal-memory.ts";
import { type ModelServer, startModelServer } from "../../../servers/model-server.ts";
import type { ScriptedReply } from "../../../servers/scripted-reply.ts";
import { ask, clock, requestOf } from "../talk.ts";

let server: ModelServer;
afterEach(() => server.close());

async function modelOf(replies: ScriptedReply[], o: { name?: string; provider?: string; extra?: { top_k: number } } = {}) {
  server = await startModelServer({ replies });
  const { name = "qwen", provider = "openai", extra } = o;
  return createOpenAiModel({ provider, name, apiKey: "k", baseUrl: server.url, clock, ...(extra ? { extra } : {}) });
}

test("text streams as it arrives, however the bytes are cut, and the server's own account of itself is kept", async () => {
  const model = await modelOf([{ text: "Größe 日本語 🎉", chunkBytes: 5, model: "qwen-q4", fingerprint: "fp_1" }]);
  const deltas: string[] = [];
  const reply = await ask(model, requestOf(), { onText: (delta) => deltas.push(delta) });
  expect(deltas.join("")).toBe("Größe 日本語 🎉");
  expect(reply.message.content).toEqual([text("Größe 日本語 🎉")]);
  expect(reply.sent).toEqual({ wire: "chat", max_tokens: 4096 });
  expect(reply.served).toEqual({ model: "qwen-q4", fingerprint: "fp_1", requestId: "req_1" });
  expect(reply).toMatchObject({ stop: "end", costUsd: null });
  expect(model.identity).toEqual({ provider: "openai", name: "qwen", protocol: "native", priceTable: null });
});

test("the pieces of parallel calls are put together by their index", async () => {
  const model = await modelOf([
    {
      calls: [
        { id: "a", name: "bash", args: { command: "ls -la" } },
        { id: "b", name: "read", args: { path: "some/file" } },
      ],
      usage: { input: 50, output: 9, cached: 40 },
    },
  ]);
  const reply = await ask(model);
  expect(reply.calls).toEqual([
    { id: "a", name: "bash", args: { command: "ls -la" } },
    { id: "b", name: "read", args: { path: "some/file" } },
  ]);
  expect(reply.usage).toEqual({ input: 50, output: 9, cached: 40 });
  expect(reply.stop).toBe("calls");
});

test("the request carries seed, sampling, extra parameters and the conversation; reasoning goes back in its field", async () => {
  const model = await modelOf([{ thinking: "Hm.", calls: [{ id: "a", name: "bash", args: {} }] }, { text: "ok" }], {
    extra: { top_k: 20 },
  });
  const first = await ask(model);
  const image = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
  const shown: ToolMessage = { role: "tool", callId: "a", name: "bash", status: "ok", content: [text("a plot"), image] };
  const messages: Message[] = [userMessage("Fix it."), first.message, shown];
  await ask(model, requestOf({ messages, seed: 7, params: { maxOutputTokens: 99, temperature: 0.7, topP: 0.8 } }));
  expect(server.requests[1]?.body).toEqual({
    top_k: 20,
    model: "qwen",
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 99,
    temperature: 0.7,
    top_p: 0.8,
    seed: 7,
    tools: [
      { type: "function", function: expect.objectContaining({ name: "bash" }) },
      { type: "function", function: expect.objectContaining({ name: "read" }) },
    ],
    messages: [
      { role: "system", content: "You are an agent.\n\nWork carefully.\n\nDirectory: /app" },
      { role: "user", content: "Fix it." },
      {
        role: "assistant",
        content: null,
        reasoning_content: "Hm.",
        tool_calls: [{ type: "function", id: "a", function: { name: "bash", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "a", content: "a plot\n(an image follows below)" },
      { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }] },
    ],
  });
});

test("an optional parameter that the server refuses is left out, once and for good", async () => {
  const refuse = (message: string) => ({ status: 400, body: { error: { message, type: "invalid_request_error" } } });
  const model = await modelOf(
    [
      refuse("unknown field: stream_options"),
      refuse("Unsupported value: reasoning_effort is not available for this model"),
      refuse("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
      { text: "one" },
      { text: "two" },
    ],
    { name: "gpt-oss-20b" },
  );
  const request = requestOf({ params: { maxOutputTokens: 10, effort: "high" } });
  expect((await ask(model, request)).message.content).toEqual([text("one")]);
  expect((await ask(model, request)).message.content).toEqual([text("two")]);
  expect(server.requests).toHaveLength(5);
  expect(server.requests[0]?.body).toMatchObject({ reasoning_effort: "high", max_tokens: 10 });
  for (const body of server.requests.slice(3).map((request) => request.body)) {
    expect(body).toMatchObject({ max_completion_tokens: 10 });
    for (const gone of ["stream_options", "reasoning_effort", "max_tokens"]) expect(body).not.toHaveProperty(gone);
  }
});

test("an effort that the configuration sets is never left out: the refusal is an error that names it", async () => {
  const refusal = { status: 400, body: { error: { message: "Unsupported value: 'reasoning_effort' is not available for this model" } } };
  server = await startModelServer({ replies: [refusal] });
  const model = createOpenAiModel({
    provider: "openai",
    name: "gpt-5",
    apiKey: "k",
    baseUrl: server.url,
    clock,
    effort: "high",
    effortFrom: "forge.yaml:3",
  });
  const asked = ask(model, requestOf({ params: { maxOutputTokens: 10, effort: "high" } }));
  await expect(asked).rejects.toMatchObject({
    kind: "parameter",
    message: expect.stringContaining("Take model.effort out (forge.yaml:3)"),
  });
  expect(server.requests).toHaveLength(1);
});

test("an effort that the configuration sets for a model that no row describes is left out where it is refused, and that is said with its place", async () => {
  const said: string[] = [];
  const refusals = createRefusalMemory((sentence) => said.push(sentence));
  const refusal = { status: 400, body: { error: { message: '"my-model" does not support thinking' } } };
  server = await startModelServer({ replies: [refusal, { text: "done" }] });
  const o = { effort: "high", effortFrom: "forge.yaml:3", refusals } as const;
  const model = createOpenAiModel({ provider: "local", name: "my-model", apiKey: "k", baseUrl: server.url, clock, ...o });
  const reply = await ask(model, requestOf({ params: { maxOutputTokens: 10, effort: "high" } }));
  expect(reply.sent).toEqual({ wire: "chat", max_tokens: 10, dropped: ["reasoning_effort"] });
  expect(server.requests.map(({ body }) => body["reasoning_effort"])).toEqual(["high", undefined]);
  expect(said).toEqual([expect.stringContaining("reasoning_effort, which model.effort (forge.yaml:3) sets; it is left out")]);
});

test("what one run's server refused of Forge's own is left out of every further run's requests, and said once", async () => {
  const said: string[] = [];
  const refusals = createRefusalMemory((sentence) => said.push(sentence));
  const refusal = { status: 400, body: { error: { message: 'Unknown name "seed": Cannot find field.' } } };
  server = await startModelServer({ replies: [refusal, { text: "one" }, { text: "two" }] });
  const make = () => createOpenAiModel({ provider: "openai", name: "gemini", apiKey: "k", baseUrl: server.url, clock, refusals });
  await ask(make(), requestOf({ seed: 7 }));
  const second = await ask(make(), requestOf({ seed: 7 }));
  expect(second.sent).toEqual({ wire: "chat", max_tokens: 4096, dropped: ["seed"] });
  expect(server.requests.map(({ body }) => "seed" in body)).toEqual([true, false, false]);
  expect(said).toEqual([expect.stringMatching(/^openai\/gemini refused seed, which Forge added; .*Cannot find field\)\.$/)]);
});

test("a server that goes on refusing ends in the error it gave", async () => {
  const refusal = { status: 400, body: { error: { message: "max_completion_tokens and max_tokens are both wrong" } } };
  await expect(ask(await modelOf(Array.from({ length: 9 }, () => refusal)))).rejects.toMatchObject({ kind: "invalid" });
});

test("effort goes to models that have it or are unknown, and is not sent to others", async () => {
  const params = { maxOutputTokens: 10, effort: "xhigh" } as const;
  await ask(await modelOf([{ text: "ok" }], { name: "gpt-5.4" }), requestOf({ params, tools: [] }));
  expect(server.requests[0]?.body["reasoning_effort"]).toBe("xhigh");
  await server.close();
  await ask(await modelOf([{ text: "ok" }], { name: "gpt-4.1" }), requestOf({ params }));
  expect(server.requests[0]?.body).not.toHaveProperty("reasoning_effort");
});

test.each([
  ["end", "end"],
  ["length", "length"],
  ["refusal", "refusal"],
] as const)("a stop for %s is told as %s", async (stop, expected) => {
  expect((await ask(await modelOf([{ text: "x", stop }]))).stop).toBe(expected);
});

test("a server that does not stream is understood too", async () => {
  const whole = {
    model: "m",
    choices: [
      {
        message: { content: "hello", tool_calls: [{ id: "a", function: { name: "bash", arguments: '{"command":"ls"}' } }] },
        finish_reason: "tool_calls",
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 2 },
  };
  const reply = await ask(await modelOf([{ raw: JSON.stringify(whole), contentType: "application/json" }]));
  expect(reply.calls).toEqual([{ id: "a", name: "bash", args: { command: "ls" } }]);
  expect(reply.usage).toEqual({ input: 3, output: 2, cached: 0 });
});

test("calls without index or id, with arguments as an object, are understood", async () => {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\n`;
  const raw =
    chunk({ tool_calls: [{ function: { name: "bash", arguments: { command: "ls" } } }] }) + chunk({}, "tool_calls") + "data: [DONE]\n\n";
  expect((await ask(await modelOf([{ raw }]))).calls).toEqual([{ id: "call-0-0", name: "bash", args: { command: "ls" } }]);
});

test("what OpenRouter says it charged is the cost", async () => {
  const raw = `data: ${JSON.stringify({
    choices: [{ delta: { content: "hi" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, cost: 0.25 },
  })}\n\ndata: [DONE]\n\n`;
  expect((await ask(await modelOf([{ raw }], { provider: "openrouter" }))).costUsd).toBe(0.25);
});

test("a server that counts nothing leaves an estimate and no cost", async () => {
  const reply = await ask(await modelOf([{ text: "x".repeat(400), usage: null }]));
  expect(reply.usage.output).toBeGreaterThan(90);
  expect(reply.costUsd).toBeNull();
});

test("each request is a prefix of the next one", async () => {
  const model = await modelOf([{ text: "ok" }, { text: "ok" }]);
  const first = [userMessage("Fix it.")];
  await ask(model, requestOf({ messages: first }));
  await ask(model, requestOf({ messages: [...first, { role: "assistant", content: [text("a")] }, userMessage("b")] }));
  const [one = "", two = ""] = server.requests.map((request) => request.text);
  expect(two.startsWith(one.slice(0, -2))).toBe(true);
});
