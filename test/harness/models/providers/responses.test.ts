import { afterEach, describe, expect, it } from "vitest";
import { type AssistantMessage, type Message, text, type ToolMessage, userMessage } from "../../../../harness/contract/messages.ts";
import type { ModelRequest } from "../../../../harness/contract/ports.ts";
import { createModel } from "../../../../harness/models/create-model.ts";
import { createRefusalMemory } from "../../../../harness/models/retry/refusal-memory.ts";
import { startModelServer } from "../../../servers/model-server.ts";
import { scriptOf } from "../../../servers/responses-script.ts";
import type { ResponsesSpeech } from "../../../servers/responses-wire.ts";
import { startStrictResponses, type StrictResponses, type StrictResponsesOptions } from "../../../servers/strict/strict-responses.ts";
import { ask, clock, requestOf } from "../talk.ts";

let server: StrictResponses;
afterEach(() => server.close());

const said: string[] = [];
async function modelOf(o: StrictResponsesOptions = {}, name = "openai/gpt-6.2-sol", key = "k") {
  server = await startStrictResponses([], o);
  return named(name, key);
}
function named(name: string, key = "k") {
  said.length = 0;
  const refusals = createRefusalMemory((sentence) => said.push(sentence));
  const settings = { name, protocol: "native", maxOutputTokens: 4096, baseUrl: server.url } as const;
  return createModel(settings, { OPENAI_API_KEY: key }, { clock, refusals });
}
const scripted = (...replies: ResponsesSpeech[]): Message => userMessage(scriptOf(...replies));
const result = ({ id, name }: { id: string; name: string }, words = "ok"): ToolMessage => ({
  role: "tool",
  callId: id,
  name,
  status: "ok",
  content: [text(words)],
});
const bodies = () => server.requests.map(({ body }) => body);
const listing = { name: "bash", args: { command: "ls" } };
const reading = { name: "read", args: { path: "x" } };

describe("a model on the Responses API", () => {
  it("streams text, and says what was sent, what answered and what it used", async () => {
    const model = await modelOf();
    const deltas: string[] = [];
    const usage = { input: 2_000, output: 40, cached: 1_024, cacheWrite: 900 };
    const request = requestOf({ messages: [scripted({ text: "Größe 日本語 🎉", thinking: "Hm.", usage })], seed: 7 });
    const reply = await ask(model, { ...request, params: { maxOutputTokens: 99, effort: "high" } }, { onText: (d) => deltas.push(d) });
    expect(deltas.join("")).toBe("Größe 日本語 🎉");
    expect(deltas.length).toBeGreaterThan(1);
    expect(reply.message.content).toMatchObject([
      { type: "thinking", text: "Hm." },
      { type: "text", text: "Größe 日本語 🎉" },
    ]);
    expect(reply).toMatchObject({
      stop: "end",
      usage: { ...usage, reasoning: 7 },
      sent: { wire: "responses", max_output_tokens: 99, reasoning: { effort: "high" } },
      served: { model: "gpt-6.2-sol", requestId: "req_1" },
    });
  });

  it("sends the documented body: nothing stored, the system prompt first, flat tools, no sampling and no seed", async () => {
    const model = await modelOf();
    await ask(model, requestOf({ seed: 7 }));
    const { tools, input, ...rest } = bodies()[0] ?? {};
    expect(rest).toEqual({
      model: "gpt-6.2-sol",
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      max_output_tokens: 4096,
    });
    expect(tools).toMatchObject([
      { type: "function", name: "bash", strict: false },
      { type: "function", name: "read", strict: false },
    ]);
    expect(input).toEqual([
      { type: "message", role: "developer", content: "You are an agent.\n\nWork carefully.\n\nDirectory: /app" },
      { type: "message", role: "user", content: "Fix it." },
    ]);
  });

  it.each([{}, { encryptsAtTheEnd: true }])("returns every item whole and in order over turns with parallel calls, %j", async (o) => {
    const model = await modelOf(o);
    const odd = { name: "bash", args: '{ "command": "echo \\u00e4", "n": 1.0 }' };
    const task = scripted({ text: "I look.", thinking: "First.", calls: [listing, reading] }, { calls: [odd] }, { text: "Done." });
    const messages: Message[] = [task];
    for (let turn = 0; turn < 3; turn++) {
      const reply = await ask(model, requestOf({ messages: [...messages] }));
      messages.push(reply.message, ...reply.calls.map((call) => result(call)));
    }
    expect(server.refusals).toEqual([]);
    expect(server.altered).toEqual([]);
    expect(said).toEqual([]);
    const input = bodies()[2]?.["input"] as Record<string, unknown>[];
    expect(input.slice(2).map(({ type }) => type)).toEqual([
      "reasoning",
      "message",
      "function_call",
      "function_call",
      "function_call_output",
      "function_call_output",
      "reasoning",
      "function_call",
      "function_call_output",
    ]);
    expect(input[2]).toEqual({
      id: "rs_1_0",
      type: "reasoning",
      summary: [{ type: "summary_text", text: "First." }],
      encrypted_content: "gAAAA-1",
    });
    expect(input[3]).toMatchObject({ id: "msg_1_0", phase: "commentary", content: [{ type: "output_text", text: "I look." }] });
    expect(input[9]).toMatchObject({ id: "fc_2_0", call_id: "call_2_0", arguments: odd.args });
  });

  it.each<[string, ResponsesSpeech, string]>([
    ["its length is reached", { text: "half", stop: "length" }, "length"],
    ["the filter ends it", { text: "half", stop: "refusal" }, "refusal"],
    ["the model refuses", { refusal: "I will not." }, "refusal"],
    ["it calls", { calls: [listing] }, "calls"],
  ])("stops where %s", async (_, speech, stop) => {
    expect((await ask(await modelOf(), requestOf({ messages: [scripted(speech)] }))).stop).toBe(stop);
  });

  it("goes on after a reply that was cut while it reasoned, which leaves no reasoning that leads to nothing", async () => {
    const model = await modelOf();
    const first = await ask(model, requestOf({ messages: [scripted({ stop: "length" })] }));
    expect(first).toMatchObject({ stop: "length", message: { content: [{ type: "thinking" }] } });
    const more = [scripted({ stop: "length" }), first.message, scripted({ text: "ok" })];
    expect((await ask(model, requestOf({ messages: more }))).stop).toBe("end");
    expect(server.refusals).toEqual([]);
  });

  it("returns a refusal as a refusal", async () => {
    const model = await modelOf();
    const task = scripted({ refusal: "I will not." }, { text: "ok" });
    const first = await ask(model, requestOf({ messages: [task] }));
    await ask(model, requestOf({ messages: [task, first.message, userMessage("Please.")] }));
    expect(server.altered).toEqual([]);
    expect(bodies()[1]?.["input"]).toContainEqual(expect.objectContaining({ content: [{ type: "refusal", refusal: "I will not." }] }));
  });

  it.each([
    ["nested", "context_length_exceeded", "context"],
    ["flat", "server_error", "server"],
    ["failed", "rate_limit_exceeded", "rate_limit"],
    ["flat", "insufficient_quota", "quota"],
    ["failed", "invalid_prompt", "invalid"],
  ] as const)("reports a %s error after the status 200 with the code %s as %s", async (form, code, kind) => {
    const task = scripted({ text: "so far", error: { code, message: "It failed.", form } });
    const asked = ask(await modelOf(), requestOf({ messages: [task] }));
    await expect(asked).rejects.toMatchObject({ kind, message: expect.stringContaining("It failed") as string });
  });

  it.each([false, true])("reports a full context, after the status 200: %s", async (overflowsAfter200) => {
    await expect(ask(await modelOf({ contextTokens: 10, overflowsAfter200 }))).rejects.toMatchObject({ kind: "context" });
  });

  it("sends images in a user's message and in a result", async () => {
    const model = await modelOf();
    const image = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
    const task: Message = { role: "user", content: [text(scriptOf({ calls: [{ ...listing, id: "c" }] })), image] };
    const { message } = await ask(model, requestOf({ messages: [task] }));
    const shown: ToolMessage = { role: "tool", callId: "c", name: "bash", status: "ok", content: [text("a plot"), image] };
    await ask(model, requestOf({ messages: [task, message, shown] }));
    const sent = { type: "input_image", image_url: "data:image/png;base64,aGk=", detail: "auto" };
    expect(bodies()[1]?.["input"]).toContainEqual({
      type: "function_call_output",
      call_id: "c",
      output: [{ type: "input_text", text: "a plot" }, sent],
    });
    expect(bodies()[0]?.["input"]).toContainEqual({ type: "message", role: "user", content: [{ type: "input_text", text: expect.any(String) as string }, sent] }); // prettier-ignore
  });

  it("refuses sampling before anything is sent where the model takes none, and sends it with effort none", async () => {
    const warm = (effort?: "none" | "low"): ModelRequest =>
      requestOf({ params: { maxOutputTokens: 99, temperature: 0.2, ...(effort ? { effort } : {}) } });
    const model = await modelOf({}, "openai/gpt-5.6");
    await expect(ask(model, warm())).rejects.toMatchObject({
      kind: "parameter",
      message: expect.stringContaining("takes no sampling parameters with effort medium: take model.temperature out") as string,
    });
    expect(server.requests).toEqual([]);
    await ask(model, warm("none"));
    expect(bodies()[0]).toMatchObject({ reasoning: { effort: "none" }, temperature: 0.2 });
  });
});

describe("a server that speaks Chat Completions alone", () => {
  it("is an error with the row to write, which then calls it there, with effort none and tools", async () => {
    const gateway = await startModelServer({ always: () => ({ text: "hi" }) });
    server = await startStrictResponses();
    const settings = { name: "openai/gpt-5.6", protocol: "native", maxOutputTokens: 99, baseUrl: gateway.url, effort: "high" } as const;
    const params = { maxOutputTokens: 99, effort: "high" } as const;
    const model = await createModel(settings, {}, { clock });
    await expect(ask(model, requestOf({ params }))).rejects.toMatchObject({
      kind: "not_found",
      message: expect.stringContaining("set wire: chat for openai/gpt-5.6 under models") as string,
    });
    const onChat = await createModel({ ...settings, row: { wire: "chat" } }, {}, { clock });
    expect((await ask(onChat, requestOf({ params }))).sent).toMatchObject({ wire: "chat", reasoning_effort: "none" });
    await gateway.close();
  });
});

describe("a conversation that changes", () => {
  it("is told once when gpt-6.2 leaves reasoning out of it, and each reply records what", async () => {
    const model = await modelOf();
    const task = scripted({ calls: [listing] }, { calls: [reading] }, { text: "ok" });
    const messages: Message[] = [task];
    const removed = [];
    for (let turn = 0; turn < 3; turn++) {
      const system = [{ name: "identity", text: `Turn ${turn}.` }]; // a prefix that changes
      const reply = await ask(model, requestOf({ system, messages: [...messages] }));
      removed.push(reply.served?.removed);
      messages.push(reply.message, ...reply.calls.map((call) => result(call)));
    }
    expect(removed).toEqual([
      undefined,
      [{ id: "rs_1_0", reason: "prefix_mismatch" }],
      [
        { id: "rs_1_0", reason: "prefix_mismatch" },
        { id: "rs_2_0", reason: "prefix_mismatch" },
      ],
    ]);
    expect(said).toEqual([expect.stringMatching(/^openai\/gpt-6.2-sol left earlier reasoning out of its context \(prefix_mismatch\)/)]);
  });

  const foreign: readonly AssistantMessage[] = [
    { role: "assistant", content: [{ type: "thinking", text: "hm", opaque: { type: "thinking", thinking: "hm", signature: "s" } }] },
    { role: "assistant", content: [{ type: "thinking", text: "hm", opaque: { type: "reasoning", reasoning_content: "hm" } }, text("a")] },
    { role: "assistant", content: [text("look"), { type: "call", id: "toolu_1".padEnd(99, "x"), name: "odd tool", args: {} }] },
  ];
  it("goes on over this wire after another one, without what that one's provider signed", async () => {
    const model = await modelOf();
    const call = { id: "toolu_1".padEnd(99, "x"), name: "odd tool" };
    await ask(model, requestOf({ messages: [userMessage("a"), ...foreign, result(call), scripted({ text: "ok" })] }));
    expect(server.refusals).toEqual([]);
    const input = bodies()[0]?.["input"] as Record<string, unknown>[];
    expect(input.map(({ type, role }) => role ?? type)).toEqual([
      "developer", "user", "assistant", "assistant", "function_call", "function_call_output", "user",
    ]); // prettier-ignore
  });

  it("goes on with another model of this wire, whose own reasoning alone goes back to it", async () => {
    const first = await modelOf();
    const task = scripted({ text: "I look.", calls: [listing] }, { text: "ok" });
    const reply = await ask(first, requestOf({ messages: [task] }));
    await ask(
      await named("openai/gpt-6.2-astra"),
      requestOf({ messages: [task, reply.message, ...reply.calls.map((call) => result(call))] }),
    );
    expect(server.refusals).toEqual([]);
    const input = bodies()[1]?.["input"] as Record<string, unknown>[];
    expect(input.map(({ type, id }) => [type, id])).toEqual([
      ["message", undefined], ["message", undefined], ["message", undefined], ["function_call", undefined], ["function_call_output", undefined],
    ]); // prettier-ignore
  });

  it("goes on over Chat Completions, which get none of its items", async () => {
    const first = await modelOf();
    const task = scripted({ text: "I look.", calls: [listing] });
    const reply = await ask(first, requestOf({ messages: [task] }));
    const chat = await named("openai/gpt-4.1");
    const asked = ask(chat, requestOf({ messages: [task, reply.message, ...reply.calls.map((call) => result(call))] }));
    await expect(asked).rejects.toThrow("no task served here"); // what plays on that wire has read the conversation
    expect(JSON.stringify(bodies()[1])).not.toMatch(/encrypted_content|rs_1|msg_1|fc_1/);
  });
});
