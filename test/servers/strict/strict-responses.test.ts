import { afterEach, expect, it } from "vitest";
import { scriptOf } from "../responses-script.ts";
import type { Item } from "../responses-wire.ts";
import { accounts, startStrictResponses, type StrictResponses, type StrictResponsesOptions } from "./strict-responses.ts";

let server: StrictResponses;
afterEach(() => server.close());

const tools = [{ type: "function", name: "bash", description: "", parameters: {}, strict: false }];
const base = { model: "gpt-6.2-sol", store: false, include: ["reasoning.encrypted_content"], tools };
const user = {
  role: "user",
  content: scriptOf({
    calls: [
      { name: "bash", args: { command: "ls" } },
      { name: "bash", args: {} },
    ],
  }),
};

async function send(body: object, o: { path?: string; key?: string } = {}) {
  const headers = { authorization: `Bearer ${o.key ?? "k"}`, "content-type": "application/json" };
  const response = await fetch(`${server.url}${o.path ?? "/responses"}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer };
}
interface Answer {
  readonly error: { readonly type: string; readonly param: string | null; readonly code: string | null; readonly message: string };
  readonly output: Item[];
  readonly input_transformations?: object[];
}
/** A reply with reasoning and two calls, and the input that returns it as it should be. */
async function turn(o: StrictResponsesOptions = {}, model = base.model) {
  server = await startStrictResponses([], o);
  const { body } = await send({ ...base, model, input: [user] });
  const [reasoning, first, second] = body.output.map(({ status: _, ...item }) => item) as [Item, Item, Item];
  const result = ({ call_id }: Item) => ({ type: "function_call_output", call_id, output: "ok" });
  return { reasoning, first, second, results: [result(first), result(second)] as const };
}

it("holds a conversation with reasoning and parallel calls, of which it keeps nothing", async () => {
  const { reasoning, first, second, results } = await turn();
  const { status, body } = await send({ ...base, input: [user, reasoning, first, second, ...results] });
  expect([status, body.output.map(({ type }) => type)]).toEqual([200, ["reasoning", "message"]]);
  expect(body.input_transformations).toBeUndefined();
  expect(server.altered).toEqual([]);
});

it.each<[string, number, string | null, string | null, object, { path?: string; key?: string }?]>([
  ["sampling", 400, "temperature", null, { temperature: 0.2 }],
  ["sampling with reasoning", 400, "top_p", null, { model: "gpt-5.6", reasoning: { effort: "low" }, top_p: 0.9 }],
  ["an effort outside the family", 400, "reasoning.effort", "unsupported_value", { reasoning: { effort: "none" } }],
  ["effort of a model that has none", 400, "reasoning.effort", "unsupported_parameter", { model: "gpt-4.1", reasoning: { effort: "low" } }],
  ["a seed", 400, "seed", "unknown_parameter", { seed: 7 }],
  ["messages", 400, "messages", "unknown_parameter", { messages: [] }],
  [
    "tools of Chat Completions",
    400,
    "tools[0].name",
    "missing_required_parameter",
    { tools: [{ type: "function", function: { name: "a" } }] },
  ],
  ["a wrong key", 401, null, "invalid_api_key", {}, { key: accounts.wrong }],
  ["a spent account", 429, null, "insufficient_quota", {}, { key: accounts.spent }],
  ["a spent balance", 429, null, "credit_balance_exhausted", {}, { key: accounts.spentBalance }],
  ["an unknown model", 404, null, "model_not_found", { model: "gpt-9" }],
  ["a model of this API alone on Chat Completions", 404, "model", null, { model: "gpt-5-pro" }, { path: "/chat/completions" }],
  ["tools on Chat Completions", 400, "reasoning_effort", null, { messages: [] }, { path: "/chat/completions" }],
])("refuses %s", async (_, status, param, code, more, how = {}) => {
  server = await startStrictResponses();
  const answer = await send({ ...base, ...(how.path ? {} : { input: [user] }), ...more }, how);
  expect(answer).toMatchObject({ status, body: { error: { param, code } } });
  expect(answer.headers.get("retry-after")).toBeNull();
});

it("refuses items that are not whole, in order, and its own", async () => {
  const { reasoning, first, second, results } = await turn();
  const refusals: [string, Item[] | object[]][] = [
    ["without its required following item", [user, reasoning]],
    ["without its required 'reasoning' item", [user, first, second, ...results]],
    ["No tool output found for function call", [user, reasoning, first, second, results[0]]],
    ["No tool call found for function call output", [user, reasoning, first, ...results]],
    ["could not be verified", [user, { ...reasoning, encrypted_content: "gAAAA-9" }, first, second, ...results]],
    ["Items are not persisted", [user, { type: "reasoning", id: reasoning.id, summary: [] }, first, second, ...results]],
    ["Unknown parameter: 'input[1].status'.", [user, { ...reasoning, status: "completed" }, first, second, ...results]],
  ];
  for (const [words, input] of refusals) expect((await send({ ...base, input })).body.error.message).toContain(words);
});

it("drops the reasoning of gpt-6.2 whose earlier input changed or that another model made, and notes altered items", async () => {
  const { reasoning, first, second, results } = await turn();
  const rest = [reasoning, { ...first, arguments: "{}" }, second, ...results];
  const { status, body } = await send({ ...base, input: [{ role: "developer", content: "New." }, user, ...rest] });
  expect(status).toBe(200);
  expect(body.input_transformations).toEqual([{ type: "reasoning", id: reasoning.id, action: "removed", reason: "prefix_mismatch" }]);
  expect(server.altered).toEqual([first.id]);
  const other = await send({ ...base, model: "gpt-6.2-astra", input: [user, ...rest] });
  expect(other.body.input_transformations).toMatchObject([{ reason: "model_mismatch" }]);
});

it("reports a full context as a refusal, or after the status 200", async () => {
  server = await startStrictResponses([], { contextTokens: 10 });
  expect(await send({ ...base, input: [user] })).toMatchObject({
    status: 400,
    body: { error: { code: "context_length_exceeded", param: "input" } },
  });
  await server.close();
  server = await startStrictResponses([], { contextTokens: 10, overflowsAfter200: true });
  const headers = { authorization: "Bearer k", "content-type": "application/json" };
  const body = JSON.stringify({ ...base, stream: true, input: [user] });
  const response = await fetch(`${server.url}/responses`, { method: "POST", headers, body });
  const text = await response.text();
  expect(response.status).toBe(200);
  expect(text).toMatch(/event: error\ndata: .*context_length_exceeded[^]*event: response.failed/);
});
