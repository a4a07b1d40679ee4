import { describe, expect, it } from "vitest";
import type { ReceivedRequest } from "../scripted-reply.ts";
import { createSignatures } from "./signatures.ts";
import { anthropicAccounts, anthropicRefusal } from "./strict-anthropic.ts";

const user = { role: "user", content: "Go on." };
const base = { model: "claude-opus-4-6", max_tokens: 4096, messages: [user] };
const used = (id: string) => ({ type: "tool_use", id, name: "bash", input: {} });
const result = (id: string, content: unknown = "ok") => ({ type: "tool_result", tool_use_id: id, content });
const text = (words: string, more: object = {}) => ({ type: "text", text: words, ...more });
const says = (...content: object[]) => ({ role: "assistant", content });
const marker = { cache_control: { type: "ephemeral" } };

const request = (body: Record<string, unknown>, headers: Record<string, string> = {}): ReceivedRequest => ({
  method: "POST",
  path: "/v1/messages",
  headers: { "anthropic-version": "2026-10-21", "x-api-key": "k", ...headers },
  text: JSON.stringify(body),
  body,
});
const answer = (more: object, headers?: Record<string, string>) => anthropicRefusal(request({ ...base, ...more }, headers));
const thinking = { type: "enabled", budget_tokens: 2048 };

it.each<[string, string, object, Record<string, string>?]>([
  ["sampling under the newest version", "temperature: Extra inputs", { temperature: 1 }],
  [
    "other sampling than the default of 4.7",
    "top_p: Extra",
    { model: "claude-opus-4-7", top_p: 0.9 },
    { "anthropic-version": "2023-06-01" },
  ],
  ["an unknown version", "is not a valid version", {}, { "anthropic-version": "2027-01-01" }],
  ["an unknown beta", "Unexpected value(s) `x`", {}, { "anthropic-beta": "x" }],
  ["thinking of another kind", '"thinking.type.enabled" is not supported', { model: "claude-opus-5-5", thinking }],
  ["an effort of another model", 'output_config.effort: "xhigh"', { output_config: { effort: "xhigh" } }],
  [
    "no thinking with much effort",
    '"thinking.type.disabled" is not supported',
    { model: "claude-haiku-5-5", thinking: { type: "disabled" }, output_config: { effort: "max" } },
  ],
  ["a small budget", "greater than or equal to 1024", { thinking: { ...thinking, budget_tokens: 512 } }],
  ["a budget of the whole output", "`max_tokens` must be greater", { thinking: { ...thinking, budget_tokens: 4096 } }],
  ["a demanded tool, thinking", "Thinking may not be enabled", { thinking, tool_choice: { type: "any" } }],
  ["a demanded tool", "is not compatible", { model: "claude-sonnet-5-5", tool_choice: { type: "tool", name: "bash" } }],
  ["the assistant's words at the end", "assistant message prefill", { messages: [user, says(text("I"))] }],
  ["an empty message", "must have non-empty content", { messages: [{ role: "user", content: [] }] }],
  ["an empty text", "must be non-empty", { messages: [{ role: "user", content: [text("")] }] }],
  ["a text of spaces", "non-whitespace", { messages: [{ role: "user", content: [text(" \n")] }] }],
  [
    "thinking at the end of a message",
    "The final block in an assistant message cannot be `thinking`",
    { messages: [user, says({ type: "thinking", thinking: "", signature: "s" }), user] },
  ],
  [
    "a marker on thinking",
    "thinking.cache_control",
    { messages: [user, says({ type: "thinking", thinking: "", signature: "s", ...marker }, text("a")), user] },
  ],
  ["a fifth marker", "Found 5.", { messages: [{ role: "user", content: Array.from({ length: 5 }, () => text("a", marker)) }] }],
  [
    "a turn that begins without thinking",
    "Expected `thinking`",
    { thinking, messages: [user, says(used("a")), { role: "user", content: [result("a")] }] },
  ],
  [
    "a call without its result",
    "immediately after: b",
    { messages: [user, says(used("a"), used("b")), { role: "user", content: [result("a")] }] },
  ],
  [
    "text before results",
    "immediately after: a",
    { messages: [user, says(used("a")), { role: "user", content: [text("x"), result("a")] }] },
  ],
  ["an odd id", "String should match pattern", { messages: [user, says(used("a.b")), { role: "user", content: [result("a.b")] }] }],
  ["a long output", "max_tokens: 200000 > 128000", { max_tokens: 200_000 }],
  ["a full window", "prompt is too long", { model: "claude-haiku-4-5", messages: [{ role: "user", content: "word ".repeat(170_000) }] }],
  ["an account without credit", "Your credit balance is too low", {}, { "x-api-key": anthropicAccounts.spent }],
])("refuses %s", (_, words, more, headers) => {
  expect(answer(more, headers)).toMatchObject({
    status: 400,
    body: { type: "error", error: { type: "invalid_request_error", message: expect.stringContaining(words) as string } },
  });
});

it("has another status for a key, a model, a body and a spend limit", () => {
  const cases: [number, string, ReturnType<typeof answer>][] = [
    [401, "authentication_error", answer({}, { "x-api-key": anthropicAccounts.wrong })],
    [404, "not_found_error", answer({ model: "claude-9" })],
    [413, "request_too_large", answer({ messages: [{ role: "user", content: "a".repeat(33 * 1024 ** 2) }] })],
    [429, "rate_limit_error", answer({}, { "x-api-key": anthropicAccounts.capped })],
  ];
  for (const [status, type, got] of cases) expect(got).toMatchObject({ status, body: { error: { type } } });
  expect(cases[3]?.[2]).toMatchObject({ body: { error: { details: { error_code: "enforced_spend_limit_reached" } } } });
  expect(cases[3]?.[2]?.headers).toBeUndefined();
});

it("takes a conversation with parallel calls, an image and words after the results", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } };
  const results = { role: "user", content: [result("a", [image]), result("b"), text("Go on.", marker)] };
  expect(answer({ messages: [user, says(text("I look."), used("a"), used("b")), results] })).toBeUndefined();
});

describe("a signature", () => {
  const body = { ...base, model: "claude-opus-5-5", thinking: { type: "adaptive", display: "summarized" } };
  const signatures = createSignatures();
  const said = signatures.sign(body, { text: "Done." });
  const block = { type: "thinking", thinking: said.thinking, signature: said.signature };
  const next = (change: object = {}, first: object = user, model = body.model) =>
    signatures.refusal({ ...body, model, messages: [first, says({ ...block, ...change }, text("Done.")), user] });

  it("holds for the thinking and the conversation that it was made for, cache markers aside", () => {
    expect(next()).toBeUndefined();
    expect(next({}, { ...user, ...marker })).toBeUndefined();
  });

  it.each([
    ["another text", next({ thinking: "x" }), "cannot be modified"],
    ["no signature of this server", next({ signature: "x" }), "Invalid `signature`"],
    ["another history", next({}, { role: "user", content: "Before." }), "bound to a different conversation"],
  ])("is refused with %s", (_, refusal, words) => {
    expect(refusal).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining(words) as string } } });
  });

  it("counts for nothing with another model", () => {
    expect(next({ thinking: "x" }, user, "claude-fable-5-2")).toBeUndefined();
  });
});
