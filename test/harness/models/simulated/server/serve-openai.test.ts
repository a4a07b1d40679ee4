import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { failing, instruction, startSim, type Serving } from "./served.ts";

let open: Serving[] = [];
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()));
  open = [];
});
const serving = async (starting: Promise<Serving>): Promise<{ client: OpenAI; url: string }> => {
  const server = await starting;
  open.push(server);
  return { client: new OpenAI({ apiKey: "none", baseURL: server.url, maxRetries: 0 }), url: server.url };
};
const bash: OpenAI.ChatCompletionFunctionTool = {
  type: "function",
  function: { name: "bash", parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] } },
};
const first = (model = "sim-7"): OpenAI.ChatCompletionCreateParamsNonStreaming => ({
  model,
  messages: [
    { role: "system", content: "You are a coding agent." },
    { role: "user", content: instruction },
  ],
  tools: [bash],
});

const streamed = (
  client: OpenAI,
  { model, messages, tools = [] }: OpenAI.ChatCompletionCreateParamsNonStreaming,
): Promise<OpenAI.ChatCompletion> => client.chat.completions.stream({ model, messages, tools }).finalChatCompletion();

/** The reply, after at most four failures. */
async function until(client: OpenAI, model: string, left = 4): Promise<OpenAI.ChatCompletion> {
  try {
    return await client.chat.completions.create(first(model));
  } catch (error) {
    if (left === 0) throw error;
    return until(client, model, left - 1);
  }
}

/** What an agent does with the real SDK: calls, results, until the model is done. */
async function drive(client: OpenAI, stream: boolean): Promise<{ commands: string[]; answer: string; fingerprints: Set<unknown> }> {
  const messages = [...first().messages];
  const [commands, fingerprints] = [[] as string[], new Set<unknown>()];
  for (let turn = 0; turn < 20; turn++) {
    const body = { ...first(), messages };
    const reply = await (stream ? streamed(client, body) : client.chat.completions.create(body));
    fingerprints.add(reply.system_fingerprint);
    const message = reply.choices[0]?.message;
    if (!message) throw new Error("no choice");
    messages.push(message);
    const calls = message.tool_calls?.flatMap((call) => (call.type === "function" ? [call] : [])) ?? [];
    if (calls.length === 0) return { commands, answer: message.content ?? "", fingerprints };
    for (const call of calls) {
      commands.push((JSON.parse(call.function.arguments) as { command: string }).command); // the plan's own calls
      messages.push({ role: "tool", tool_call_id: call.id, content: "output" });
    }
  }
  throw new Error("no end");
}

describe("a simulated model behind OpenAI's wire", () => {
  const whole = ["ls", "cat task.md", "mkdir -p out", "echo good > out/report.txt", "grep good out/report.txt"];

  it("is driven by the real SDK through its whole plan, streaming and not, and signs every reply", async () => {
    const { client } = await serving(startSim());
    for (const stream of [false, true]) {
      const run = await drive(client, stream);
      expect(run.commands).toEqual(whole);
      expect(run.answer).toBe("The report is in out/report.txt.");
      expect([...run.fingerprints]).toEqual(["forge-sim"]);
    }
  });

  it("gives the same bytes for the same request, and other pieces for another model's seed", async () => {
    const { url } = await serving(startSim());
    const ask = async (model: string): Promise<string> => {
      const body = JSON.stringify({ ...first(model), stream: true, stream_options: { include_usage: true } });
      return (await fetch(`${url}/chat/completions`, { method: "POST", body })).text();
    };
    expect(await ask("sim-7")).toBe(await ask("sim-7"));
    const pieces = await Promise.all(Array.from({ length: 12 }, (_, seed) => ask(`sim-${seed}`)));
    expect(new Set(pieces.map((text) => text.split("\n\n").length)).size).toBeGreaterThan(2);
    expect(pieces[0]).toMatch(/"usage":\{"prompt_tokens":\d+,"completion_tokens":\d+/);
    expect(pieces[0]?.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it("finds its task in the words that another agent puts around it, and calls the shell that the agent has", async () => {
    const { client } = await serving(startSim());
    const shell = { type: "array", items: { type: "string" } };
    const reply = await client.chat.completions.create({
      model: "sim-7",
      messages: [{ role: "user", content: `<context>a folder</context>\n\n${instruction.replaceAll("\n", "\r\n  ")}\n\nBe quick.` }],
      tools: [
        {
          type: "function",
          function: { name: "run_shell", parameters: { type: "object", properties: { cmd: shell }, required: ["cmd"] } },
        },
      ],
    });
    const call = reply.choices[0]?.message.tool_calls?.[0];
    expect(call?.type === "function" && call.function).toEqual({
      name: "run_shell",
      arguments: JSON.stringify({ cmd: ["bash", "-lc", "ls"] }),
    });
  });

  it("speaks the text protocol where the conversation explains it, and has nothing to call without tools", async () => {
    const { client } = await serving(startSim());
    const user = { role: "user" as const, content: instruction };
    const written = await client.chat.completions.create({
      model: "sim-1",
      messages: [{ role: "system", content: "Write ```bash blocks." }, user],
    });
    expect(written.choices[0]?.message.content).toBe("I look.\n\n```bash\nls\n```");
    const aside = await client.chat.completions.create({
      model: "sim-1",
      messages: [{ role: "user", content: "Give this chat a title." }],
    });
    expect(aside.choices[0]?.message).toMatchObject({ content: "There is nothing that I can call.", refusal: null });
  });

  it("answers 429 with retry-after a few times, then the reply", async () => {
    const { client } = await serving(failing("rate-limited"));
    const errors: unknown[] = [];
    for (let seed = 0; seed < 40 && errors.length === 0; seed++)
      await client.chat.completions.create(first(`sim-${seed}`)).catch((error: unknown) => errors.push(error));
    const [error] = errors;
    if (!(error instanceof OpenAI.RateLimitError)) throw new Error("no seed was rate limited at its first turn");
    expect(error.code).toBe("rate_limit_exceeded");
    expect(Number(error.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    const replies = await Promise.all(Array.from({ length: 40 }, (_, seed) => until(client, `sim-${seed}`)));
    expect(replies.every((reply) => reply.choices[0]?.finish_reason === "tool_calls")).toBe(true);
  });

  it("breaks a stream off where the fault says so", async () => {
    const { client } = await serving(failing("breaks-off"));
    const broken = await Promise.all(
      Array.from({ length: 30 }, (_, seed) =>
        streamed(client, first(`sim-${seed}`)).then(
          () => "whole",
          (error: unknown) => (error instanceof Error ? error.constructor.name : "?"),
        ),
      ),
    );
    expect(broken).toContain("whole");
    expect(broken.some((how) => how !== "whole")).toBe(true);
  });

  it.each([
    ["a model that is not there", { ...first("gpt-5") }, 404, { type: "invalid_request_error", param: null, code: "model_not_found" }],
    ["a seed out of range", { ...first("sim-4294967296") }, 404, { code: "model_not_found" }],
    [
      "no messages",
      { model: "sim-1" },
      400,
      { type: "invalid_request_error", param: "messages", message: "Missing required parameter: 'messages'." },
    ],
    ["an unknown task", { ...first(), messages: [{ role: "user", content: "hi" }] }, 400, { param: "messages" }],
    ["tools without a shell", { ...first(), tools: [{ type: "function", function: { name: "read_file" } }] }, 400, { param: "tools" }],
    [
      "a result without its call",
      { ...first(), messages: [...first().messages, { role: "tool", tool_call_id: "call_x", content: "" }] },
      400,
      { param: "messages.[2].role" },
    ],
    ["no JSON", "{", 400, { type: "invalid_request_error" }],
  ])("answers %s as the provider does", async (_, body, status, error) => {
    const { url } = await serving(startSim());
    const response = await fetch(`${url}/chat/completions`, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error });
  });

  it("answers a conversation that has outgrown its context with context_length_exceeded", async () => {
    const { client } = await serving(failing("reads-too-much"));
    const call = { id: "call_0_1", type: "function" as const, function: { name: "bash", arguments: "{}" } };
    const long = client.chat.completions.create({
      ...first(),
      messages: [
        ...first().messages,
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: call.id, content: "x".repeat(600_000) },
      ],
    });
    await expect(long).resolves.toBeDefined(); // the default profile has no limit
    const { client: small } = await serving(startSim({ profile: "reads-too-much" }));
    const over = small.chat.completions.create({
      ...first(),
      messages: [...first().messages, { role: "user", content: "x".repeat(200_000) }],
    });
    await expect(over).rejects.toMatchObject({
      status: 400,
      code: "context_length_exceeded",
      message: expect.stringMatching(/maximum context length is 32000 tokens\. However, your messages resulted in \d+ tokens/),
    });
  });

  it("refuses with content_filter, lists its models, and knows no other path", async () => {
    const { client, url } = await serving(failing("refuses-task"));
    const replies = await Promise.all(Array.from({ length: 20 }, (_, seed) => client.chat.completions.create(first(`sim-${seed}`))));
    const refused = replies.find((reply) => reply.choices[0]?.finish_reason === "content_filter");
    expect(refused?.choices[0]?.message).toMatchObject({ content: null, refusal: "I cannot help with this request." });
    expect((await client.models.list()).data.map(({ id }) => id)).toContain("sim-1");
    expect((await client.models.retrieve("sim-42")).id).toBe("sim-42");
    const missing = await fetch(`${url}/embeddings`, { method: "POST", body: "{}" });
    expect([missing.status, await missing.json()]).toMatchObject([404, { error: { type: "invalid_request_error" } }]);
    expect((await fetch(`${url}/chat/completions`)).status).toBe(405);
  });
});
