import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { allRows, nearestEffort, rowOf } from "../../../harness/models/families/find-row.ts";
import { modelsPage } from "../../../scripts/docs/generate-models.ts";

it("docs/models.md is the table as it is", async () => {
  expect(readFileSync("docs/models.md", "utf8")).toBe(await modelsPage());
});

it("every row has its source, limits, wire and effort, and its default is one of its values", () => {
  for (const [name, row] of allRows()) {
    expect(row, name).toMatchObject({ source: expect.any(String), context: expect.any(Number), output: expect.any(Number) });
    expect(row.wire, name).toBe(name.startsWith("anthropic/") ? "messages" : row.wire);
    if (row.defaultEffort !== undefined) expect(row.effort, name).toContain(row.defaultEffort);
  }
});

it("a model behind a router has its effort values, and not its provider's wire, limits or price", () => {
  expect(rowOf("openrouter/anthropic/claude-opus-5.5")).toMatchObject({ wire: "chat", effort: ["low", "medium", "high", "xhigh"] });
  expect(rowOf("openrouter/openai/gpt-5.6")?.price).toBeUndefined();
  expect(rowOf("local/qwen2.5-coder-1.5b")).toBeUndefined();
});

it("a user's row lies over the table's, key by key", () => {
  expect(rowOf("openai/gpt-5", { output: 1_000 })).toMatchObject({ output: 1_000, context: 400_000 });
  expect(rowOf("local/mine", { effort: ["low"] })).toEqual({ effort: ["low"] });
});

it("an effort that a model does not take becomes the nearest below it, and none is never chosen for another", () => {
  expect(nearestEffort(["low", "medium", "high", "max"], "xhigh")).toBe("high");
  expect(nearestEffort(["none", "low"], "minimal")).toBe("low");
  expect(nearestEffort([], "high")).toBeUndefined();
});
