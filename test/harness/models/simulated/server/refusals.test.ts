import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../../harness/system-ports.ts";
import { createModel } from "../../../../../harness/models/create-model.ts";
import { ModelError } from "../../../../../harness/contract/model-error.ts";
import { faults } from "../../../../../harness/models/simulated/faults/fault-kinds.ts";
import { failing, instruction, startSim, type Serving } from "./served.ts";

const servers: Serving[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
async function serving(started: Promise<Serving>): Promise<Serving> {
  const server = await started;
  servers.push(server);
  return server;
}

type Wire = "openai" | "anthropic";
const wires: readonly Wire[] = ["openai", "anthropic"];
const pathOf: Readonly<Record<Wire, string>> = { openai: "/v1/chat/completions", anthropic: "/v1/messages" };

/** A first request with a tool, in either format; `filler` makes it longer. */
function bodyOf(wire: Wire, model: string, filler = ""): object {
  const messages = [{ role: "user", content: `${instruction}${filler}` }];
  const parameters = { type: "object", properties: { command: { type: "string" } } };
  return wire === "openai"
    ? { model, messages, tools: [{ type: "function", function: { name: "bash", parameters } }] }
    : { model, max_tokens: 1_000, messages, tools: [{ name: "bash", input_schema: parameters }] };
}
const ask = (server: Serving, wire: Wire, body: unknown): Promise<Response> =>
  fetch(`${server.origin}${pathOf[wire]}`, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });

/** The first seed whose run fails at its first turn, and how. */
async function firstFailure(server: Serving, wire: Wire): Promise<{ model: string; response: Response; text: string }> {
  for (let seed = 0; seed < 60; seed++) {
    const model = `sim-${seed}`;
    const response = await ask(server, wire, bodyOf(wire, model));
    const text = await response.text();
    if (!response.ok) return { model, response, text };
  }
  throw new Error("no seed fails at its first turn");
}

/** What Forge's own client makes of the same request. */
async function kindOf(server: Serving, wire: Wire, model: string, filler = ""): Promise<ModelError> {
  const [provider, baseUrl] = wire === "openai" ? ["local", server.url] : ["anthropic", server.origin];
  const client = await createModel(
    { name: `${provider}/${model}`, baseUrl, protocol: "native", maxOutputTokens: 1_000 },
    {},
    { clock: systemClock },
  );
  const request = {
    system: [],
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: `${instruction}${filler}` }] }],
    tools: [{ name: "bash", description: "", parameters: { type: "object", properties: { command: { type: "string" } } } }],
    params: { maxOutputTokens: 1_000 },
  };
  const place = { lane: "main", ordinal: 0, attempt: 0 };
  const error: unknown = await client.call(request, { place, signal: AbortSignal.timeout(20_000) }).catch((thrown: unknown) => thrown);
  if (error instanceof ModelError) return error;
  throw new Error("it did not fail");
}

/** Nothing that a provider would not say. */
function tellsNothing({ headers }: Response, text: string): void {
  const told = `${text.replaceAll(/sim-\d+/g, "MODEL")} ${JSON.stringify([...headers])}`.replaceAll("overloaded", "");
  expect(told).not.toMatch(/\bsim\b|simul|forge|fault|profile|answered \d/i);
  expect(faults.filter((fault) => told.includes(fault))).toEqual([]);
}

describe("a failing service, in its provider's words", () => {
  it("of OpenAI: 429 with the limit and when to try again", async () => {
    const server = await serving(failing("rate-limited"));
    const { model, response, text } = await firstFailure(server, "openai");
    expect([response.status, JSON.parse(text)]).toEqual([
      429,
      {
        error: {
          message: expect.stringMatching(
            new RegExp(
              `^Rate limit reached for ${model} in organization org-\\w{24} on requests per min \\(RPM\\): Limit 500, Used 500, Requested 1\\. Please try again in ${response.headers.get("retry-after")}s\\. Visit https://platform\\.openai\\.com/account/rate-limits to learn more\\.$`,
            ),
          ) as string,
          type: "requests",
          param: null,
          code: "rate_limit_exceeded",
        },
      },
    ]);
    tellsNothing(response, text);
  });

  it("of OpenAI: 503, overloaded", async () => {
    const { response, text } = await firstFailure(await serving(failing("overloaded")), "openai");
    expect([response.status, JSON.parse(text)]).toEqual([
      503,
      {
        error: {
          message: `That model is currently overloaded with other requests. You can retry your request, or contact us through our help center at help.openai.com if the error persists. (Please include the request ID ${response.headers.get("x-request-id")} in your message.)`,
          type: "server_error",
          param: null,
          code: null,
        },
      },
    ]);
    tellsNothing(response, text);
  });

  it.each([
    ["rate-limited", 429, "rate_limit_error", "This request would exceed your account's rate limit. Please try again later."],
    ["overloaded", 529, "overloaded_error", "Overloaded"],
  ] as const)("of Anthropic: %s", async (fault, status, type, message) => {
    const { response, text } = await firstFailure(await serving(failing(fault)), "anthropic");
    expect([response.status, JSON.parse(text)]).toEqual([
      status,
      { type: "error", error: { type, message }, request_id: response.headers.get("request-id") },
    ]);
    tellsNothing(response, text);
  });

  const filler = "x".repeat(200_000);
  it("of OpenAI: a context that is full", async () => {
    const response = await ask(await serving(startSim({ profile: "reads-too-much" })), "openai", bodyOf("openai", "sim-1", filler));
    const text = await response.text();
    const words =
      /^This model's maximum context length is 32000 tokens\. However, your messages resulted in 5\d{4} tokens\. Please reduce the length of the messages\.$/;
    expect([response.status, JSON.parse(text)]).toEqual([
      400,
      {
        error: {
          message: expect.stringMatching(words) as string,
          type: "invalid_request_error",
          param: "messages",
          code: "context_length_exceeded",
        },
      },
    ]);
    tellsNothing(response, text);
  });

  it("of Anthropic: a context that is full", async () => {
    const response = await ask(await serving(startSim({ profile: "reads-too-much" })), "anthropic", bodyOf("anthropic", "sim-1", filler));
    const text = await response.text();
    expect([response.status, JSON.parse(text)]).toMatchObject([
      400,
      {
        error: {
          type: "invalid_request_error",
          message: expect.stringMatching(/^prompt is too long: 5\d{4} tokens > 32000 maximum$/) as string,
        },
      },
    ]);
    tellsNothing(response, text);
  });
});

describe.each(wires)("Forge's own client over %s's wire", (wire) => {
  it.each([
    ["rate-limited", "rate_limit"],
    ["overloaded", "overloaded"],
  ] as const)("knows %s", async (fault, kind) => {
    const { model } = await firstFailure(await serving(failing(fault)), wire);
    const error = await kindOf(await serving(failing(fault)), wire, model);
    expect([error.kind, error.retryable, (error.retryAfterMs ?? 0) >= 1_000]).toEqual([kind, true, kind === "rate_limit"]);
  });

  it("knows a context that is full", async () => {
    const error = await kindOf(await serving(startSim({ profile: "reads-too-much" })), wire, "sim-1", "x".repeat(200_000));
    expect([error.kind, error.retryable]).toEqual(["context", false]);
  });

  it("knows a model that is not there", async () => {
    expect((await kindOf(await serving(startSim()), wire, "another")).kind).toBe("not_found");
  });
});

describe("a request that is wrong, in the provider's words", () => {
  const refused = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<unknown> => {
    const server = await serving(startSim());
    const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const response = await fetch(`${server.origin}${path}`, { method, headers, ...sent });
    return [response.status, await response.json()];
  };
  const openai = (message: unknown, param: string | null = null, code: string | null = null): object => ({
    error: { message, type: "invalid_request_error", param, code },
  });
  const anthropic = (type: string, message: unknown): object => ({
    type: "error",
    error: { type, message },
    request_id: expect.stringMatching(/^req_/) as string,
  });
  const [user] = [{ role: "user", content: instruction }];
  const [path, messages] = [pathOf.openai, pathOf.anthropic];

  it("of OpenAI", async () => {
    const sent = (body: unknown): Promise<unknown> => refused("POST", path, body);
    expect(await refused("GET", "/nosuch")).toEqual([404, openai("Invalid URL (GET /nosuch)")]);
    expect(await refused("GET", path)).toEqual([
      405,
      openai(`Not allowed to GET on ${path}. (HINT: Perhaps you meant to use a different HTTP method?)`, null, "method_not_supported"),
    ]);
    expect(await sent("{")).toEqual([400, openai(expect.stringMatching(/^We could not parse the JSON body of your request\. /))]);
    expect(await sent({ model: "sim-1" })).toEqual([
      400,
      openai("Missing required parameter: 'messages'.", "messages", "missing_required_parameter"),
    ]);
    expect(await sent({ model: "sim-1", messages: [] })).toMatchObject([400, { error: { param: "messages", code: "empty_array" } }]);
    expect(await sent({ model: "sim-1", messages: [{ role: "tool", content: "" }] })).toMatchObject([
      400,
      { error: { message: "Missing required parameter: 'messages[0].tool_call_id'." } },
    ]);
    expect(await sent({ model: 5, messages: [user] })).toEqual([
      400,
      openai("Invalid type for 'model': expected a string, but got a number instead.", "model", "invalid_type"),
    ]);
    const call = { id: "call_x", type: "function", function: { name: "bash", arguments: "{}" } };
    const system = { role: "system", content: "Be good." };
    expect(await sent({ model: "sim-1", messages: [system, user, { role: "assistant", tool_calls: [call] }] })).toEqual([
      400,
      openai(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_x",
        "messages.[2].role",
      ),
    ]);
    expect(await refused("GET", "/v1/models/gpt-5")).toMatchObject([404, { error: { code: "model_not_found" } }]);
  });

  it("of Anthropic", async () => {
    const sent = (body: object): Promise<unknown> =>
      refused("POST", messages, { model: "sim-1", max_tokens: 5, messages: [user], ...body });
    const invalid = (message: unknown): unknown[] => [400, anthropic("invalid_request_error", message)];
    expect(await refused("GET", "/nosuch", undefined, { "anthropic-version": "2023-06-01" })).toEqual([
      404,
      anthropic("not_found_error", "Not Found"),
    ]);
    expect(await refused("POST", `${messages}/nosuch`, {})).toEqual([404, anthropic("not_found_error", "Not Found")]);
    expect(await refused("GET", messages)).toEqual([405, anthropic("invalid_request_error", "Method Not Allowed")]);
    expect(await refused("POST", messages, "{")).toEqual(invalid(expect.stringMatching(/^The request body is not valid JSON: /)));
    expect(await sent({ max_tokens: "5" })).toEqual(invalid("max_tokens: Input should be a valid integer"));
    const use = { type: "tool_use", id: "toolu_x", name: "bash", input: {} };
    expect(await sent({ messages: [user, { role: "assistant", content: [use] }] })).toEqual(
      invalid(
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_x. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
      ),
    );
    const result = { type: "tool_result", tool_use_id: "toolu_y", content: "" };
    expect(await sent({ messages: [{ role: "user", content: [{ type: "text", text: instruction }, result] }] })).toEqual(
      invalid(
        "messages.0.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_y. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
      ),
    );
  });
});
