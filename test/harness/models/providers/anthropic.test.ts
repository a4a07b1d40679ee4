import { afterEach, expect, test } from "vitest";
import type { AssistantMessage, Message, ToolMessage } from "../../../../harness/contract/messages.ts";
import { text, userMessage } from "../../../../harness/contract/messages.ts";
import { createAnthropicModel } from "../../../../harness/models/providers/anthropic.ts";
import { createRefusalMemory } from "../../../../harness/models/retry/refusal-memory.ts";
import { type ModelServer, startModelServer } from "../../../servers/model-server.ts";
import type { ScriptedReply } from "../../../servers/scripted-reply.ts";
import { ask, clock, requestOf } from "../talk.ts";

let server: ModelServer;
afterEach(() => server.close());

async function modelOf(replies: ScriptedReply[], name = "claude-sonnet-4-5") {
  server = await startModelServer({ replies });
  return createAnthropicModel({ provider: "anthropic", name, apiKey: "k", baseUrl: server.origin, clock });
}
const result = (callId: string, words: string, status: ToolMessage["status"] = "ok"): ToolMessage => ({
  role: "tool",
  callId,
  name: "bash",
  status,
  content: [text(words)],
});

test("text streams as it arrives, whole characters only, however the bytes are cut", async () => {
  const model = await modelOf([{ text: "Größe: 5 µm, 日本語 🎉", chunkBytes: 3 }]);
  const deltas: string[] = [];
  const reply = await ask(model, requestOf(), { onText: (delta) => deltas.push(delta) });
  expect(reply.message.content).toEqual([text("Größe: 5 µm, 日本語 🎉")]);
  expect(deltas.join("")).toBe("Größe: 5 µm, 日本語 🎉");
  expect(deltas.length).toBeGreaterThan(1);
  expect(reply).toMatchObject({ stop: "end", calls: [], costUsd: null, served: { model: "claude-sonnet-4-5", requestId: "req_1" } });
  expect(reply.activeMs).toBeGreaterThanOrEqual(0);
});

test("parallel calls come back in order, with usage that counts cached tokens as input", async () => {
  const model = await modelOf([
    {
      text: "Both.",
      calls: [
        { id: "a", name: "bash", args: { command: "ls" } },
        { id: "b", name: "read", args: { path: "x" } },
      ],
      usage: { input: 100, output: 7, cached: 60, cacheWrite: 30 },
    },
  ]);
  const reply = await ask(model);
  expect(reply.calls).toEqual([
    { id: "a", name: "bash", args: { command: "ls" } },
    { id: "b", name: "read", args: { path: "x" } },
  ]);
  expect(reply.message.content.map((part) => part.type)).toEqual(["text", "call", "call"]);
  expect(reply.usage).toEqual({ input: 100, output: 7, cached: 60, cacheWrite: 30 });
  expect(reply.stop).toBe("calls");
});

test("thinking goes back exactly as it came, and the results of one turn go back in one message", async () => {
  const model = await modelOf([{ thinking: "Let me see.", calls: [{ id: "a", name: "bash", args: { command: "ls" } }] }, { text: "ok" }]);
  const first = await ask(model);
  expect(first.message.content[0]).toEqual({
    type: "thinking",
    text: "Let me see.",
    opaque: { type: "thinking", thinking: "Let me see.", signature: "sig-1" },
  });
  const messages: Message[] = [userMessage("Fix it."), first.message, result("a", "denied here", "denied"), userMessage("Go on.")];
  await ask(model, requestOf({ messages }));
  expect(server.requests[1]?.body["messages"]).toEqual([
    { role: "user", content: [{ type: "text", text: "Fix it." }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Let me see.", signature: "sig-1" },
        { type: "tool_use", id: "a", name: "bash", input: { command: "ls" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "denied here" }], is_error: true },
        { type: "text", text: "Go on.", cache_control: { type: "ephemeral" } },
      ],
    },
  ]);
});

test("over many turns there are never more than four markers, and each request without them is a prefix of the next", async () => {
  const model = await modelOf(Array.from({ length: 6 }, () => ({ text: "ok" })));
  const messages: Message[] = [userMessage("Fix it.")];
  for (let turn = 0; turn < 6; turn++) {
    await ask(model, requestOf({ messages: [...messages] }));
    const calls = Array.from({ length: turn + 1 }, (_, i) => ({
      type: "call" as const,
      id: `c${turn}-${i}`,
      name: "bash",
      args: { command: `echo ${i}` },
    }));
    const said: AssistantMessage = { role: "assistant", content: [text(`Turn ${turn}`), ...calls] };
    messages.push(said, ...calls.map((call) => result(call.id, "ä".repeat(turn))), ...(turn % 2 ? [userMessage("A reminder.")] : []));
  }
  const bodies = server.requests.map((request) => request.text);
  for (const body of bodies) {
    const markers = body.split('"cache_control"').length - 1;
    expect(markers).toBeGreaterThan(0);
    expect(markers).toBeLessThanOrEqual(4);
  }
  const bare = bodies.map((body) => body.replaceAll(',"cache_control":{"type":"ephemeral"}', ""));
  for (const [k, body] of bare.slice(0, -1).entries()) {
    // The closing brackets of the message list and of the body are all that may differ.
    expect(body.endsWith("]}")).toBe(true);
    expect(bare[k + 1]?.startsWith(body.slice(0, -2))).toBe(true);
  }
  expect(JSON.parse(bodies[0] ?? "")).toMatchObject({
    tools: [{ name: "bash" }, { name: "read", cache_control: { type: "ephemeral" } }],
    system: [
      { text: "You are an agent." },
      { text: "Work carefully.", cache_control: { type: "ephemeral" } },
      { text: "Directory: /app", cache_control: { type: "ephemeral" } },
    ],
  });
});

test("an answer that was cut in its thinking goes back with a word behind it, which the API demands", async () => {
  const model = await modelOf([{ thinking: "Let me", stop: "length" }, { text: "ok" }]);
  const cut = await ask(model);
  await ask(model, requestOf({ messages: [userMessage("Hi."), cut.message, userMessage("Go on.")] }));
  const [, answer] = (server.requests[1]?.body["messages"] ?? []) as { content: object[] }[]; // the wire format's
  expect(answer?.content).toEqual([{ type: "thinking", thinking: "Let me", signature: "sig-1" }, text("(nothing)")]);
});

test("effort becomes adaptive thinking, or a budget, or nothing of a model without either", async () => {
  const params = { maxOutputTokens: 20_000, effort: "high" } as const;
  await ask(await modelOf([{ text: "ok" }], "claude-opus-5-5"), requestOf({ params }));
  expect(server.requests[0]?.body).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "high" } });
  await server.close();
  await ask(await modelOf([{ text: "ok" }]), requestOf({ params }));
  expect(server.requests[0]?.body["thinking"]).toEqual({ type: "enabled", budget_tokens: 16_000 });
  await server.close();
  await ask(await modelOf([{ text: "ok" }], "claude-3-5-haiku-20241022"), requestOf({ params }));
  expect(server.requests[0]?.body).not.toHaveProperty("thinking");
});

test.each(["temperature", "topP"])("a middleware's %s is an error, and nothing is sent", async (name) => {
  const asking = ask(await modelOf([{ text: "ok" }]), requestOf({ params: { maxOutputTokens: 99, [name]: 0.5 } }));
  await expect(asking).rejects.toMatchObject({ kind: "parameter", message: expect.stringContaining(`a middleware set ${name}`) as string });
  expect(server.requests).toEqual([]);
});

test.each([
  ["end", "end"],
  ["length", "length"],
  ["refusal", "refusal"],
] as const)("a stop for %s is told as %s", async (stop, expected) => {
  expect((await ask(await modelOf([{ text: "x", stop }]))).stop).toBe(expected);
});

test("a window that fills up while answering is the error context", async () => {
  await expect(ask(await modelOf([{ text: "x", stop: "context" }]))).rejects.toMatchObject({ kind: "context", retryable: false });
});

test("what the model wrote wrong in its arguments is an error of the call, which the model can act on", async () => {
  const model = await modelOf([
    {
      calls: [
        { id: "a", name: "bash", args: '{"command": "ls' },
        { id: "a", name: "bash", args: "[1]" },
        { id: "c", name: "bash", args: "" },
      ],
    },
  ]);
  const { calls } = await ask(model);
  expect(calls.map((call) => call.id)).toEqual(["a", "call-0-1", "c"]);
  expect(calls[0]?.error).toMatch(/not valid JSON/);
  expect(calls[1]?.error).toMatch(/must be a JSON object/);
  expect(calls[2]).toEqual({ id: "c", name: "bash", args: {} });
});

test("a server that counts nothing leaves an estimate and no cost", async () => {
  const reply = await ask(await modelOf([{ text: "x".repeat(400), usage: null }]));
  expect(reply.usage.output).toBeGreaterThan(90);
  expect(reply.usage.input).toBeGreaterThan(50);
  expect(reply.costUsd).toBeNull();
});

test("images go as base64, and what another provider signed stays here", async () => {
  const model = await modelOf([{ text: "ok" }]);
  const foreign: AssistantMessage = {
    role: "assistant",
    content: [{ type: "thinking", text: "hm", opaque: { type: "reasoning", reasoning_content: "hm" } }],
  };
  const image = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
  await ask(model, requestOf({ messages: [{ role: "user", content: [image] }, foreign, userMessage("go")], system: [], tools: [] }));
  const body = server.requests[0]?.body;
  expect(body).not.toHaveProperty("system");
  expect(body).not.toHaveProperty("tools");
  expect(body?.["messages"]).toMatchObject([
    { content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } }] },
    { role: "assistant", content: [{ type: "text" }] },
    { role: "user" },
  ]);
});

/** A response in which the provider's own search took too long, or was done; shapes: platform.claude.com, "Web search tool" and "Handling stop reasons". */
function searching(n: number, stop_reason: string): ScriptedReply {
  const found = {
    type: "web_search_tool_result",
    tool_use_id: `srvtoolu_${n}`,
    content: [{ type: "web_search_result", url: "https://a" }],
  };
  const events: object[] = [
    { type: "message_start", message: { model: "m", usage: { input_tokens: 10, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: `Part ${n}.` } },
    {
      type: "content_block_start",
      index: 1,
      content_block: { type: "server_tool_use", id: `srvtoolu_${n}`, name: "web_search", input: {} },
    },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"query":"x"}' } },
    { type: "content_block_start", index: 2, content_block: found },
    {
      type: "message_delta",
      delta: { stop_reason },
      usage: { output_tokens: 5, output_tokens_details: { thinking_tokens: 2 } },
    },
    { type: "message_stop" },
  ];
  return { raw: events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join("") };
}

test("a reply that the provider's own tools pause goes on where it was sent back unchanged, and is one reply", async () => {
  const model = await modelOf([searching(1, "pause_turn"), searching(2, "end_turn")]);
  const reply = await ask(model);
  expect(reply).toMatchObject({ stop: "end", usage: { input: 20, output: 10, reasoning: 4 } });
  expect(reply.message.content.map(({ type }) => type)).toEqual(["text", "thinking", "thinking", "text", "thinking", "thinking"]);
  expect((server.requests[1]?.body["messages"] as object[] | undefined)?.[1]).toEqual({
    role: "assistant",
    content: [
      { type: "text", text: "Part 1." },
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ type: "web_search_result", url: "https://a" }] },
    ],
  });
});

test("a reply that is paused without end is cut", async () => {
  const model = await modelOf(Array.from({ length: 20 }, (_, n) => searching(n, "pause_turn")));
  expect((await ask(model)).stop).toBe("length");
  expect(server.requests).toHaveLength(11);
});

test("a server that does not know the newest version of the API is asked in the older one from then on, and that is said once", async () => {
  const said: string[] = [];
  const words = 'anthropic-version: "2026-10-21" is not a valid version';
  const refusal = { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: words } } };
  server = await startModelServer({ replies: [refusal, { text: "one" }, { text: "two" }] });
  const refusals = createRefusalMemory((sentence) => said.push(sentence));
  const model = createAnthropicModel({ provider: "anthropic", name: "m", apiKey: "k", baseUrl: server.origin, clock, refusals });
  await ask(model);
  await ask(model);
  expect(server.requests.map(({ headers }) => headers["anthropic-version"])).toEqual(["2026-10-21", "2023-06-01", "2023-06-01"]);
  expect(said).toHaveLength(1);
});

test("a section of the prompt that is blank is not sent, which the API would refuse", async () => {
  await ask(
    await modelOf([{ text: "ok" }]),
    requestOf({
      system: [
        { name: "a", text: "You are." },
        { name: "b", text: " \n" },
      ],
    }),
  );
  expect(server.requests[0]?.body["system"]).toEqual([{ type: "text", text: "You are.", cache_control: { type: "ephemeral" } }]);
});
