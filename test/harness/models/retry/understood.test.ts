import { describe, expect, it, onTestFinished } from "vitest";
import { configRegistry } from "../../../../assembly/registry.ts";
import { benchSources } from "../../../../harness/config/config-source.ts";
import { loadConfig } from "../../../../harness/config/load-config.ts";
import { createModel } from "../../../../harness/models/create-model.ts";
import { createRefusalMemory } from "../../../../harness/models/retry/refusal-memory.ts";
import { middleware, type AnyMiddleware } from "../../../../harness/contract/middleware.ts";
import { z } from "zod";
import { runFixture } from "../../../../testing.ts";
import { type DocumentedRefusal, overflows, spent, wrong } from "../../../servers/documented-refusals.ts";
import { startModelServer } from "../../../servers/model-server.ts";
import type { ReceivedRequest, ScriptedReply } from "../../../servers/scripted-reply.ts";
import { folderWith } from "../../config/folder.ts";
import { clock } from "../talk.ts";

/** One run of this configuration against a server that answers so. */
async function run(yaml: string, answer: (request: ReceivedRequest, n: number) => ScriptedReply, more: readonly AnyMiddleware[] = []) {
  const cwd = await folderWith({ "arm.yaml": yaml });
  const config = await loadConfig(benchSources({ cwd, config: "arm.yaml" }), configRegistry);
  let count = 0;
  const server = await startModelServer({ always: (request) => answer(request, count++) });
  onTestFinished(() => server.close());
  const said: string[] = [];
  const refusals = createRefusalMemory((sentence) => said.push(sentence));
  const baseUrl = config.model.name.startsWith("anthropic/") ? server.origin : server.url;
  const model = await createModel({ ...config.model, baseUrl, places: config.places }, {}, { clock, refusals });
  const { result, events } = await runFixture({ script: model, model: config.model, middleware: more });
  const responses = events.filter(({ t }) => t === "model.response").map(({ d }) => d["sent"]);
  return { outcome: result.outcome, requests: server.requests, said, responses };
}
const named = (rows: readonly DocumentedRefusal[]) =>
  rows.map((row): [string, DocumentedRefusal] => [
    `${row.model} ${row.answer.status} ${JSON.stringify(row.answer.body).slice(0, 150)}`,
    row,
  ]);

describe("an account with nothing left", () => {
  it.each(named(spent))("is understood at the first answer: %s", async (_name, { model, answer, cure }) => {
    const { outcome, requests } = await run(`model: ${model}\n`, () => answer);
    expect(outcome).toMatchObject({ type: "error", kind: "config", message: expect.stringMatching(cure) as string });
    expect(requests).toHaveLength(1);
  });
});

describe("a wrong wire or field", () => {
  it.each(named(wrong))("is understood at the first answer: %s", async (_name, { model, answer, cure }) => {
    const extra = model.startsWith("anthropic") ? "context_management: {}" : "top_k: 4";
    const { outcome, requests } = await run(`model:\n  name: ${model}\n  extra: {${extra}}\n`, () => answer);
    expect(outcome).toMatchObject({ type: "error", kind: "config", message: expect.stringMatching(cure) as string });
    expect(requests).toHaveLength(1);
  });
});

describe("a conversation that does not fit", () => {
  it.each(named(overflows))("is the limit context: %s", async (_name, { model, answer }) => {
    const { outcome, requests } = await run(`model: ${model}\n`, () => answer);
    expect(outcome).toEqual({ type: "limit", limit: "context" });
    expect(requests).toHaveLength(1);
  });

  it("is not a throttled account: Bedrock's “Too many tokens” is tried again", async () => {
    const throttled = {
      status: 429,
      body: { type: "error", error: { type: "rate_limit_error", message: "Too many tokens, please wait before trying again." } },
    };
    const { outcome, requests } = await run("model: anthropic/claude-opus-5-5\n", (_request, n) =>
      n === 0 ? throttled : { text: "All is done." },
    );
    expect(outcome).toEqual({ type: "done" });
    expect(requests).toHaveLength(2);
  });
});

const openAi400 = (message: string, param: string | null): ScriptedReply => ({
  status: 400,
  body: { error: { message, type: "invalid_request_error", param, code: null } },
});
const anthropic400 = (message: string): ScriptedReply => ({
  status: 400,
  body: { type: "error", error: { type: "invalid_request_error", message } },
});
const unsupported = (name: string): ScriptedReply => openAi400(`Unsupported parameter: '${name}' is not supported with this model.`, name);

/** Every setting of a model that goes into a request, with its refusal (providers of OpenAI's wire: developers.openai.com, "Error codes"). */
const settings: readonly [string, string, ScriptedReply, string][] = [
  ["openai/gpt-5-mini", "temperature: 0.3", unsupported("temperature"), "model.temperature is set at arm.yaml:3."],
  ["openai/gpt-5-mini", "topP: 0.3", unsupported("top_p"), "model.topP is set at arm.yaml:3."],
  ["openai/gpt-5-mini", "maxOutputTokens: 9000", unsupported("max_output_tokens"), "model.maxOutputTokens is set at arm.yaml:3."],
  ["openai/gpt-5-mini", "effort: high", unsupported("reasoning_effort"), "Take model.effort out (arm.yaml:3)"],
  ["openai/gpt-5-mini", "extra: {seed: 4}", unsupported("seed"), "model.extra.seed is set at arm.yaml:3."],
  ["openai/gpt-5-mini", "protocol: native", openAi400('"gpt" does not support tools', null), "model.protocol is set at arm.yaml:3."],
  [
    "anthropic/claude-opus-5-5",
    "effort: high",
    anthropic400("This model does not support the effort parameter."),
    "Take model.effort out (arm.yaml:3)",
  ],
  [
    "anthropic/claude-opus-5-5",
    "effort: max",
    anthropic400("adaptive thinking is not supported on this model"),
    "Take model.effort out (arm.yaml:3)",
  ],
  [
    "anthropic/claude-opus-5-5",
    "extra: {thinking: {type: enabled}}",
    anthropic400('"thinking.type.enabled" is not supported for this model'),
    "model.extra.thinking is set at arm.yaml:3.",
  ],
  [
    "anthropic/claude-next",
    "extra: {service_tier: auto}",
    anthropic400("service_tier: Extra inputs are not permitted"),
    "model.extra.service_tier is set at arm.yaml:3.",
  ],
  [
    "anthropic/claude-next",
    "maxOutputTokens: 90000",
    anthropic400("max_tokens: 90000 > 64000, which is the maximum allowed number of output tokens for claude-next"),
    "model.maxOutputTokens is set at arm.yaml:3.",
  ],
];

describe("a value that the configuration sets", () => {
  it.each(settings)("ends the run with its place: %s, %s", async (model, setting, answer, place) => {
    const { outcome, requests } = await run(`model:\n  name: ${model}\n  ${setting}\n`, () => answer);
    expect(outcome).toMatchObject({ type: "error", kind: "config", message: expect.stringContaining(place) as string });
    expect(requests).toHaveLength(1);
  });

  it("has no place where a middleware chose it", async () => {
    const warm = middleware("warm", "1", z.strictObject({}), () => ({
      model: (call, next) => next({ ...call, params: { ...call.params, temperature: 0.9 } }),
    })).create({});
    const { outcome } = await run("model:\n  name: openai/gpt-5-mini\n  temperature: 0.3\n", () => unsupported("temperature"), [warm]);
    expect(outcome).toMatchObject({ kind: "config", message: expect.not.stringContaining("arm.yaml") as string });
  });
});

describe("what Forge adds by itself, on Anthropic's wire", () => {
  const thinking = middleware("thinking", "1", z.strictObject({}), () => ({
    model: (call, next) => next({ ...call, params: { ...call.params, effort: "high" } }),
  })).create({});
  const added: readonly [string, string, (body: Record<string, unknown>) => boolean][] = [
    ["cache_control", "tools.0.cache_control: Extra inputs are not permitted", (body) => JSON.stringify(body).includes("cache_control")],
    ["output_config", "This model does not support the effort parameter.", (body) => "output_config" in body],
    ["thinking", "adaptive thinking is not supported on this model", (body) => "thinking" in body],
    [
      "thinking.display",
      "thinking.adaptive.display: Extra inputs are not permitted",
      (body) => JSON.stringify(body["thinking"] ?? {}).includes("display"),
    ],
  ];

  it.each(added)("is left out once it is refused, said once and recorded: %s", async (name, words, has) => {
    const bash = { calls: [{ name: "bash", args: { command: "ls" } }] };
    let answers = 0;
    const { outcome, requests, said, responses } = await run(
      "model: anthropic/claude-opus-5-5\n",
      ({ body }) => (has(body) ? anthropic400(words) : answers++ === 0 ? bash : { text: "All is done." }),
      [thinking],
    );
    expect(outcome).toEqual({ type: "done" });
    expect(requests).toHaveLength(3);
    expect(requests.map(({ body }) => has(body))).toEqual([true, false, false]);
    expect(said).toEqual([
      `anthropic/claude-opus-5-5 refused ${name}, which Forge added; it is left out from now on (${words.replace(/\.$/, "")}).`,
    ]);
    expect(responses).toEqual([expect.objectContaining({ dropped: [name] }), expect.objectContaining({ dropped: [name] })]);
  });

  it("is said with its place where the configuration sets it for a model that no row describes", async () => {
    const { outcome, said } = await run("model:\n  name: anthropic/claude-next\n  effort: high\n", ({ body }) =>
      "output_config" in body ? anthropic400("This model does not support the effort parameter.") : { text: "All is done." },
    );
    expect(outcome).toEqual({ type: "done" });
    expect(said).toEqual([expect.stringContaining("refused output_config, which model.effort (arm.yaml:3) sets; it is left out")]);
  });

  it("is not what a thinking block of the conversation is refused for", async () => {
    const words = "messages.1.content.0: `thinking` blocks in the latest assistant message cannot be modified";
    const { outcome, requests } = await run("model: anthropic/claude-opus-5-5\n", () => anthropic400(words), [thinking]);
    expect(outcome).toMatchObject({ type: "error" });
    expect(requests).toHaveLength(1);
  });
});
