import { afterEach, expect, test } from "vitest";
import { createModel } from "../../../../harness/models/create-model.ts";
import { createRefusalMemory } from "../../../../harness/models/retry/refusal-memory.ts";
import type { Effort } from "../../../../harness/contract/model-row.ts";
import { strictLlamaCpp, strictLmStudio, strictOllama, strictOpenRouter, strictVllm } from "../../../servers/strict/strict-compatible.ts";
import { startStrictServer, type StrictProvider, type StrictServer } from "../../../servers/strict-server.ts";
import { ask, clock, requestOf } from "../talk.ts";
import { haveTwoTurns, twoCallsThenDone } from "../two-turns.ts";

let server: StrictServer;
afterEach(() => server.close());

async function modelAt(provider: StrictProvider, name: string, o: { effort?: Effort; say?: (line: string) => void } = {}) {
  server = await startStrictServer(provider.refuse, twoCallsThenDone, provider.answer);
  const settings = {
    name,
    protocol: "native",
    maxOutputTokens: 100,
    baseUrl: server.url,
    ...(o.effort ? { effort: o.effort } : {}),
  } as const;
  return createModel(settings, {}, { clock, refusals: createRefusalMemory(o.say) });
}

test.each([
  ["vllm/qwen2.5-coder", strictVllm],
  ["ollama/qwen2.5-coder", strictOllama(false)],
  ["llamacpp/qwen2.5-coder", strictLlamaCpp(32_768)],
  ["lmstudio/qwen2.5-coder", strictLmStudio(32_768)],
  ["openrouter/anthropic/claude-opus-5.5", strictOpenRouter()],
])("%s has a conversation with parallel calls, and is refused nothing", async (name, provider) => {
  const model = await modelAt(provider, name);
  await haveTwoTurns(model, { seed: 7 });
  expect(server.refusals).toEqual([]);
  // Ollama and LM Studio know no other name for the limit, and would lose it.
  for (const { body } of server.requests) expect(body).toMatchObject({ max_tokens: 4096 });
  for (const { body } of server.requests) expect(body).not.toHaveProperty("max_completion_tokens");
});

test("without tools no list of tools is sent, which vLLM would refuse", async () => {
  const model = await modelAt(strictVllm, "vllm/qwen2.5-coder");
  await ask(model, requestOf({ tools: [] }));
  expect(server.requests[0]?.body).not.toHaveProperty("tools");
});

test("Ollama's model without thinking loses its effort once, with a sentence", async () => {
  const said: string[] = [];
  const model = await modelAt(strictOllama(false), "ollama/llama3.2", { say: (line) => said.push(line) });
  const request = requestOf({ params: { maxOutputTokens: 100, effort: "high" } });
  await ask(model, request);
  await ask(model, request);
  expect(server.refusals).toHaveLength(1);
  expect(said).toEqual([expect.stringMatching(/^ollama\/llama3.2 refused reasoning_effort, .*does not support thinking/)]);
});

test("an effort that a configuration sets for a known model is never dropped in silence", async () => {
  const model = await modelAt(strictOllama(false), "ollama/qwen3", { effort: "high" });
  await expect(ask(model, requestOf({ params: { maxOutputTokens: 100, effort: "high" } }))).rejects.toMatchObject({
    kind: "parameter",
    message: expect.stringMatching(/does not support thinking\..*model\.effort/),
  });
});

test.each([
  ["llamacpp/qwen", strictLlamaCpp(20)],
  ["lmstudio/qwen", strictLmStudio(20)],
])("%s: a conversation that is too long is limit context, and not tried again", async (name, provider) => {
  const model = await modelAt(provider, name);
  await expect(ask(model)).rejects.toMatchObject({ kind: "context", retryable: false });
});

test.each([
  [502, "server", true],
  [429, "rate_limit", true],
  [402, "quota", false],
] as const)("OpenRouter: an error %i after the first token of a 200 is kind %s", async (code, kind, retryable) => {
  const model = await modelAt(strictOpenRouter({ failAfterText: { code, message: "Upstream failed" } }), "openrouter/some/model");
  await expect(ask(model)).rejects.toMatchObject({
    kind,
    retryable,
    message: expect.stringContaining("broke off with an error: Upstream failed."),
  });
  expect((await ask(model)).calls).toHaveLength(2);
});

test("an error in place of a whole answer, under status 200, is read as one", async () => {
  const body = JSON.stringify({ error: { code: 502, message: "No provider is up" } });
  const model = await modelAt(
    { refuse: () => undefined, answer: async () => new Response(body, { headers: { "content-type": "application/json" } }) },
    "openrouter/some/model",
  );
  await expect(ask(model)).rejects.toMatchObject({ kind: "server", message: expect.stringContaining("No provider is up") });
});
