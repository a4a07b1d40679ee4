import { expect, test } from "vitest";
import { anthropicEffort, openAiEffort, takesEffort } from "../../../../harness/models/providers/effort.ts";

test.each([
  ["claude-opus-5-5", "xhigh", { kind: "effort", level: "xhigh" }],
  ["claude-sonnet-5", "minimal", { kind: "effort", level: "low" }],
  ["claude-sonnet-4-6", "xhigh", { kind: "effort", level: "high" }],
  ["claude-haiku-4-5-20251001", "high", { kind: "budget", tokens: 16_384 }],
  ["claude-3-7-sonnet-20250219", "low", { kind: "budget", tokens: 2_048 }],
  ["claude-3-5-haiku-20241022", "high", { kind: "none" }],
  ["some-other-model", "high", { kind: "none" }],
] as const)("%s at %s is asked with %o", (model, effort, expected) => {
  expect(anthropicEffort(model, effort, 100_000)).toEqual(expected);
});

test("a thinking budget leaves room for the answer, or is not asked for", () => {
  expect(anthropicEffort("claude-haiku-4-5", "xhigh", 4_096)).toEqual({ kind: "budget", tokens: 3_276 });
  expect(anthropicEffort("claude-haiku-4-5", "xhigh", 1_000)).toEqual({ kind: "none" });
});

test.each([
  ["gpt-5", "minimal", "minimal"],
  ["gpt-5", "xhigh", "high"],
  ["gpt-5.4-mini", "xhigh", "xhigh"],
  ["gpt-5.1", "minimal", "low"],
  ["o4-mini", "xhigh", "high"],
  ["openai/gpt-oss-120b", "minimal", "low"],
  ["gpt-4.1", "high", undefined],
  ["qwen2.5-coder-1.5b-instruct", "high", undefined],
] as const)("%s at %s is sent reasoning_effort %s", (model, effort, expected) => {
  expect(openAiEffort(model, effort)).toBe(expected);
});

test("middleware can ask whether effort changes anything", () => {
  expect(takesEffort("anthropic/claude-opus-5")).toBe(true);
  expect(takesEffort("local/qwen2.5-coder-1.5b")).toBe(false);
});
