import Anthropic from "@anthropic-ai/sdk";
import { afterEach, describe, expect, it } from "vitest";
import { failing, instruction, startSim, type Serving } from "./served.ts";

let open: Serving[] = [];
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()));
  open = [];
});
const serving = async (starting: Promise<Serving>): Promise<{ client: Anthropic; origin: string }> => {
  const server = await starting;
  open.push(server);
  return { client: new Anthropic({ apiKey: "none", baseURL: server.origin, maxRetries: 0 }), origin: server.origin };
};
const bash: Anthropic.Tool = {
  name: "Bash",
  input_schema: {
    type: "object",
    properties: { command: { type: "string" }, description: { type: "string" } },
    required: ["command", "description"],
  },
};
const first = (model = "sim-7"): Anthropic.MessageCreateParamsNonStreaming => ({
  model,
  max_tokens: 1000,
  system: "You are a coding agent.",
  messages: [{ role: "user", content: instruction }],
  tools: [bash],
});

async function drive(client: Anthropic, stream: boolean): Promise<{ commands: string[]; answer: string; stops: unknown[] }> {
  const messages = [...first().messages];
  const [commands, stops]: [string[], unknown[]] = [[], []];
  for (let turn = 0; turn < 20; turn++) {
    const body = { ...first(), messages };
    const reply = stream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
    expect((reply as unknown as { system_fingerprint: string }).system_fingerprint).toBe("forge-sim"); // beyond the SDK's type
    stops.push(reply.stop_reason);
    messages.push({ role: "assistant", content: reply.content });
    const calls = reply.content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
    if (calls.length === 0)
      return { commands, stops, answer: reply.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join() };
    const results = calls.map((call): Anthropic.ToolResultBlockParam => {
      const { command, description } = call.input as { command: string; description: string }; // the plan's own calls
      expect(description).not.toBe("");
      commands.push(command);
      return { type: "tool_result", tool_use_id: call.id, content: "output" };
    });
    messages.push({ role: "user", content: [...results, { type: "text", text: "<reminder>Go on.</reminder>" }] });
  }
  throw new Error("no end");
}

describe("a simulated model behind Anthropic's wire", () => {
  it("is driven by the real SDK through its whole plan, with the shell of another name, streaming and not", async () => {
    const { client } = await serving(startSim());
    for (const stream of [false, true]) {
      const run = await drive(client, stream);
      expect(run.commands).toEqual(["ls", "cat task.md", "mkdir -p out", "echo good > out/report.txt", "grep good out/report.txt"]);
      expect(run.answer).toBe("The report is in out/report.txt.");
      expect(run.stops).toEqual(["tool_use", "tool_use", "tool_use", "tool_use", "end_turn"]);
    }
  });

  it("counts what it has cached beside the rest, and answers count_tokens", async () => {
    const { client } = await serving(startSim());
    const usage = (await client.messages.create(first())).usage;
    expect(usage).toMatchObject({ cache_read_input_tokens: 0, cache_creation_input_tokens: 0 });
    expect(usage.output_tokens).toBeGreaterThan(0);
    const counted = await client.messages.countTokens({
      model: "sim-7",
      messages: first().messages,
      system: "You are a coding agent.",
      tools: [bash],
    });
    expect(counted.input_tokens).toBe(usage.input_tokens);
  });

  it("thinks in blocks of their own, which go back unread", async () => {
    const { client } = await serving(failing("over-thinks"));
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, seed) => client.messages.create({ ...first(`sim-${seed}`), max_tokens: 8000 })),
    );
    const thought = replies.find((reply) => reply.content[0]?.type === "thinking");
    if (!thought) throw new Error("no seed thinks first");
    expect(thought.content[0]).toMatchObject({ type: "thinking", signature: expect.stringContaining("sim-") });
    const call = thought.content.find((block) => block.type === "tool_use");
    const next = await client.messages.create({
      ...first(thought.model),
      max_tokens: 8000,
      messages: [
        ...first().messages,
        { role: "assistant", content: thought.content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: call?.id ?? "", content: "output" }] },
      ],
    });
    expect(next.content[0]?.type).toBe("thinking");
    expect(next.usage.output_tokens).toBeGreaterThan(3000);
  });

  it.each([
    ["rate-limited", Anthropic.RateLimitError, 429, "rate_limit_error"],
    ["overloaded", Anthropic.InternalServerError, 529, "overloaded_error"],
  ] as const)("fails as the API does when it is %s, and answers the same request later", async (fault, kind, status, type) => {
    const { client } = await serving(failing(fault));
    for (let seed = 0; seed < 60; seed++) {
      const failed: unknown = await client.messages.create(first(`sim-${seed}`)).catch((error: unknown) => error);
      if (!(failed instanceof Anthropic.APIError)) continue;
      expect(failed).toBeInstanceOf(kind);
      expect(failed).toMatchObject({ status, error: { type: "error", error: { type } } });
      let reply: Anthropic.Message | undefined;
      for (let tries = 0; tries < 5 && !reply; tries++) reply = await client.messages.create(first(`sim-${seed}`)).catch(() => undefined);
      expect(reply?.content.some((block) => block.type === "tool_use")).toBe(true);
      return;
    }
    throw new Error(`no seed meets ${fault} at its first turn`);
  });

  it.each([
    ["no max_tokens", { ...first(), max_tokens: undefined }, 400, "invalid_request_error", "max_tokens: Field required"],
    ["another model", first("claude-sonnet-4-5"), 404, "not_found_error", "sim-<seed>"],
    ["an unknown task", { ...first(), messages: [{ role: "user", content: "hi" }] }, 400, "invalid_request_error", "instruction"],
    [
      "a call without its result",
      {
        ...first(),
        messages: [...first().messages, { role: "assistant", content: [{ type: "tool_use", id: "x", name: "Bash", input: {} }] }],
      },
      400,
      "invalid_request_error",
      "tool_result",
    ],
  ])("answers %s in the API's shape", async (_, body, status, type, words) => {
    const { origin } = await serving(startSim());
    const response = await fetch(`${origin}/v1/messages`, { method: "POST", body: JSON.stringify(body) });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ type: "error", error: { type, message: expect.stringContaining(words) } });
  });
});
