import { describe, expect, it } from "vitest";
import { refusedParameter } from "../../../../harness/models/retry/refused-parameter.ts";
import { anthropicRefusal } from "../../../servers/strict/strict-anthropic.ts";
import { openAiRefusal } from "../../../servers/strict/strict-openai.ts";

/** Documented bodies: status, words, `param`, and the setting that the cure names. */
const refusals: [number, string, string | null, string][] = [
  [
    400,
    "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.",
    "temperature",
    "model.temperature",
  ],
  [
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "max_tokens",
    "model.maxOutputTokens",
  ],
  [400, "Unrecognized request argument supplied: reasoning_effort", null, "model.effort"],
  [
    400,
    "Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: 'none'.",
    "reasoning.effort",
    "model.effort",
  ],
  [
    400,
    "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. Please use /v1/responses",
    "reasoning_effort",
    "model.effort",
  ],
  [400, "Unknown parameter: 'chat_template'.", "chat_template", "model.extra"],
  [404, "This model is only supported in v1/responses and not in v1/chat/completions.", "model", "Chat Completions"],
  [404, "This is not a chat model and thus not supported in the v1/chat/completions endpoint.", "model", "Chat Completions"],
  [400, "temperature: Extra inputs are not permitted", null, "model.temperature"],
  [400, "top_k: Extra inputs are not permitted", null, "model.extra"],
  [400, '"thinking.type.enabled" is not supported for this model', null, "model.effort"],
  [400, "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-x", null, "model.maxOutputTokens"],
  [400, 'anthropic-version: "2031-01-01" is not a valid version', null, "model.baseUrl"],
  [400, "Unexpected value(s) `foo` for the `anthropic-beta` header", null, "model.baseUrl"],
  [400, 'Invalid JSON payload received. Unknown name "seed": Cannot find field.', null, "model.extra"],
  [400, '"registry.ollama.ai/library/tiny" does not support tools', null, "model.protocol"],
  [400, "invalid reasoning value: 'xhigh'", null, "model.effort"],
];

/** What is refused of one conversation alone, or is no refusal of a parameter. */
const others: [number, string, string | null][] = [
  [400, "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.", null],
  [400, "messages.1.content.0.text: Extra inputs are not permitted", null],
  [400, "Invalid value: 'tool'.", "messages.[2].role"],
  [400, "Unknown parameter: 'input[3].status'.", "input[3].status"],
  [400, "messages: text content blocks must be non-empty", null],
  [400, "bad field", null],
  [404, "The model `x` does not exist or you do not have access to it.", "model"],
  [404, "model: claude-x", null],
  [500, "Unknown parameter: 'x'.", "x"],
  [429, "temperature: Extra inputs are not permitted", null],
];

describe("a refusal of a parameter", () => {
  it.each(refusals)("%i %s", (status, said, param, setting) => {
    expect(refusedParameter(status, said, param)?.cure).toContain(setting);
  });

  it.each(others)("is not %i %s", (status, said, param) => {
    expect(refusedParameter(status, said, param)).toBeUndefined();
  });

  const request = (path: string, body: object, headers = {}) => ({ method: "POST", path, headers, text: "", body: { ...body } });
  it.each([
    ["/v1/chat/completions", { model: "gpt-5-mini", temperature: 0.7 }, "temperature"],
    ["/v1/chat/completions", { model: "gpt-5.1", reasoning_effort: "low", temperature: 0 }, "temperature"],
    ["/v1/chat/completions", { model: "o3", top_p: 0.9 }, "top_p"],
    ["/v1/chat/completions", { model: "gpt-6-astra", logprobs: true }, "logprobs"],
    ["/v1/chat/completions", { model: "gpt-5", max_tokens: 5 }, "max_tokens"],
    ["/v1/responses", { model: "gpt-5.2", reasoning: { effort: "low" }, temperature: 1 }, "temperature"],
  ])("is what the strict server answers on %s to %j", (path, body, param) => {
    expect(openAiRefusal(request(path, body))?.body).toMatchObject({ error: { type: "invalid_request_error", param } });
  });

  it.each([
    { model: "gpt-5-mini", temperature: 1, max_completion_tokens: 9 },
    { model: "gpt-5.1", temperature: 0.2, max_completion_tokens: 9 },
    { model: "gpt-4.1", temperature: 0.2, max_tokens: 9, top_p: 0.5 },
    { model: "gpt-5.6", reasoning_effort: "none", temperature: 0.2 },
  ])("is not what it answers to %j", (body) => {
    expect(openAiRefusal(request("/v1/chat/completions", body))).toBeUndefined();
  });

  const today = { "anthropic-version": "2026-10-21" };
  const before = { "anthropic-version": "2023-06-01" };
  const call = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "bash", input: {} }] };
  const result = { type: "tool_result", tool_use_id: "a", content: "x" };
  it.each<[object, object, string]>([
    [{ model: "claude-haiku-4-5", temperature: 1 }, today, "temperature: Extra inputs are not permitted"],
    [{ model: "claude-opus-5-5", top_p: 0.9 }, before, "top_p: Extra inputs"],
    [{ model: "claude-opus-5-5" }, {}, "anthropic-version: header is required"],
    [{ model: "claude-opus-5-5" }, { "anthropic-version": "2024-01-01" }, "is not a valid version"],
    [{ model: "claude-opus-5-5" }, { ...today, "anthropic-beta": "made-up" }, "Unexpected value(s) `made-up`"],
    [{ model: "claude-opus-4-8", thinking: { type: "enabled" } }, today, '"thinking.type.enabled" is not supported'],
    [{ model: "claude-opus-4-5", thinking: { type: "adaptive" } }, today, '"thinking.type.adaptive" is not supported'],
    [{ model: "claude-opus-5-5", thinking: { type: "disabled" } }, today, '"thinking.type.disabled" is not supported'],
    [{ model: "claude-opus-4-6", output_config: { effort: "xhigh" } }, today, '"xhigh" is not supported'],
    [{ model: "claude-opus-5-5", messages: [call, { role: "user", content: "and?" }] }, today, "`tool_use` ids were found without"],
    [
      { model: "claude-opus-5-5", messages: [call, { role: "user", content: [{ type: "text", text: "so" }, result] }] },
      today,
      "`tool_use` ids were found without",
    ],
  ])("is what the strict Messages server answers to %j under %j", (body, headers, words) => {
    expect(anthropicRefusal(request("/v1/messages", body, headers))?.body).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", message: expect.stringContaining(words) as string },
    });
  });

  it.each<[object, object]>([
    [{ model: "claude-haiku-4-5", temperature: 0.3 }, before],
    [{ model: "claude-opus-5-5", thinking: { type: "adaptive" }, output_config: { effort: "max" } }, today],
    [{ model: "claude-opus-5-5", messages: [call, { role: "user", content: [result, { type: "text", text: "so" }] }] }, today],
  ])("is not what it answers to %j under %j", (body, headers) => {
    expect(anthropicRefusal(request("/v1/messages", body, headers))).toBeUndefined();
  });
});
