import { expect, test } from "vitest";
import { rowOf, takesEffort } from "../../../../harness/models/families/find-row.ts";
import { anthropicEffort, effortNotes, openAiEffort } from "../../../../harness/models/providers/effort.ts";

test.each([
  ["claude-opus-5-5", "xhigh", { kind: "effort", level: "xhigh" }],
  ["claude-sonnet-5", "minimal", { kind: "effort", level: "low" }],
  ["claude-sonnet-4-6", "xhigh", { kind: "effort", level: "high" }],
  ["claude-haiku-4-5-20251001", "high", { kind: "budget", tokens: 16_384 }],
  ["claude-3-7-sonnet-20250219", "low", { kind: "budget", tokens: 2_048 }],
  ["claude-3-5-haiku-20241022", "high", { kind: "none" }],
  ["claude-sonnet-4-6", "max", { kind: "effort", level: "max" }],
  ["claude-opus-5", "none", { kind: "disabled" }],
  ["claude-opus-5-5", "none", { kind: "effort", level: "low" }],
  ["some-other-model", "high", { kind: "effort", level: "high" }],
] as const)("%s at %s is asked with %o", (model, effort, expected) => {
  expect(anthropicEffort(rowOf(`anthropic/${model}`), effort, 100_000)).toEqual(expected);
});

test("a thinking budget leaves room for the answer, or is not asked for", () => {
  expect(anthropicEffort(rowOf("anthropic/claude-haiku-4-5"), "xhigh", 4_096)).toEqual({ kind: "budget", tokens: 3_276 });
  expect(anthropicEffort(rowOf("anthropic/claude-haiku-4-5"), "xhigh", 1_000)).toEqual({ kind: "none" });
});

test.each([
  ["gpt-5", "minimal", "minimal"],
  ["gpt-5", "xhigh", "high"],
  ["gpt-5.4-mini", "xhigh", "xhigh"],
  ["gpt-5.1", "minimal", "low"],
  ["o4-mini", "xhigh", "high"],
  ["gpt-5.6", "max", "max"],
  ["gpt-5.4", "max", "xhigh"],
  ["gpt-5-pro", "low", "high"],
  ["gpt-6-astra", "none", "low"],
  ["gpt-4.1", "high", undefined],
  ["qwen2.5-coder-1.5b-instruct", "high", "high"],
] as const)("%s at %s is sent reasoning_effort %s", (model, effort, expected) => {
  expect(openAiEffort(rowOf(`openai/${model}`), effort)).toBe(expected);
});

test("middleware can ask whether effort changes anything", () => {
  expect(takesEffort({ name: "anthropic/claude-opus-5" })).toBe(true);
  expect(takesEffort({ name: "local/qwen2.5-coder-1.5b" })).toBe(false);
});

test("efforts that make no difference are named, with what is sent", () => {
  const notes = (model: string, max = 29_096) => effortNotes(model, rowOf(model), ["high", "xhigh"], max);
  expect(notes("openai/gpt-5")).toEqual(["openai/gpt-5: efforts high and xhigh are the same, high."]);
  expect(notes("anthropic/claude-haiku-4-5", 4_096)).toEqual([
    "anthropic/claude-haiku-4-5: efforts high and xhigh are the same, a budget of 3276 thinking tokens.",
  ]);
  expect(notes("anthropic/claude-haiku-4-5")).toEqual([]);
  expect(notes("anthropic/claude-opus-5-5")).toEqual([]);
  expect(notes("openai/gpt-4.1")).toEqual(["openai/gpt-4.1 has no effort parameter: high, xhigh changes nothing."]);
});
