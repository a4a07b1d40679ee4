import { afterEach, expect, test } from "vitest";
import { ConfigError } from "../../../harness/errors.ts";
import { createModel } from "../../../harness/models/create-model.ts";
import { findLocalServer } from "../../../harness/models/providers/find-local.ts";
import { type ModelServer, startModelServer } from "../../servers/model-server.ts";
import { ask, clock, requestOf } from "./talk.ts";

let server: ModelServer | undefined;
afterEach(() => server?.close());

const settings = (name: string, protocol: "native" | "text" | "grammar" = "native") => ({ name, protocol, maxOutputTokens: 100 });
const make = (name: string, env: Record<string, string> = {}) => createModel(settings(name), env, { clock });

test.each([
  ["gpt-5", /expected provider\/name, got "gpt-5"/],
  ["openai/", /expected provider\/name/],
  ["mistake/gpt-5", /no provider is called "mistake".*use one of: anthropic, openai/],
  ["__proto__/x", /no provider is called/],
  ["anthropic/claude-opus-5", /export ANTHROPIC_API_KEY=/],
  ["openrouter/some/model", /export OPENROUTER_API_KEY=/],
  ["local/qwen", /LOCAL_BASE_URL/],
  ["sim/default", /simulated/],
])("%s without what it needs is refused with the cure", async (name, message) => {
  const failure: unknown = await make(name).catch((caught: unknown) => caught);
  expect(failure).toBeInstanceOf(ConfigError);
  expect((failure as Error).message).toMatch(message);
});

test("the grammar protocol is refused with the alternatives", async () => {
  await expect(createModel(settings("ollama/qwen", "grammar"), {}, { clock })).rejects.toThrow(/use native or text/);
});

test("a model at an address of one's own needs no key and has no price; at the provider's it has one", async () => {
  server = await startModelServer({ replies: [{ text: "hi" }] });
  const model = await make("openai/gpt-5", { OPENAI_BASE_URL: server.url });
  expect(model.identity.priceTable).toBeNull();
  expect((await ask(model)).costUsd).toBeNull();
  const paid = await make("openai/gpt-5", { API_KEY: "k" });
  expect(paid.identity).toEqual({ provider: "openai", name: "gpt-5", protocol: "native", priceTable: "2026-11-25" });
});

test("settings win over the environment, and a model's name may have slashes of its own", async () => {
  server = await startModelServer({ replies: [{ text: "hi" }] });
  const settled = { ...settings("openrouter/vendor/model"), baseUrl: server.url, contextTokens: 8192, extra: { top_k: 1 } };
  const model = await createModel(settled, { OPENROUTER_API_KEY: "secret", OPENROUTER_BASE_URL: "http://127.0.0.1:9/v1" }, { clock });
  await ask(model);
  expect(server.requests[0]?.body).toMatchObject({ model: "vendor/model", top_k: 1 });
  expect(server.requests[0]?.headers.authorization).toBe("Bearer secret");
  expect(model.identity).toMatchObject({ contextTokens: 8192, extra: { top_k: 1 } });
});

test.each([
  ["openai/gpt-5", (at: ModelServer) => at.url],
  ["anthropic/claude-opus-5", (at: ModelServer) => at.origin],
])("user and password in the address of %s go into the header, where they are understood", async (name, addressOf) => {
  server = await startModelServer({ replies: [{ text: "hi" }] });
  const baseUrl = addressOf(server).replace("://", "://me:p%40ss@");
  const model = await createModel({ ...settings(name), baseUrl }, { OPENAI_API_KEY: "key", ANTHROPIC_API_KEY: "key" }, { clock });
  await ask(model);
  expect(server.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from("me:p@ss").toString("base64")}`);
});

test("anthropic speaks its own wire format with its own key", async () => {
  server = await startModelServer({ replies: [{ text: "hi" }] });
  const model = await make("anthropic/claude-opus-5", { ANTHROPIC_API_KEY: "secret", ANTHROPIC_BASE_URL: server.origin });
  await ask(model);
  expect(server.requests[0]).toMatchObject({ path: "/v1/messages", headers: { authorization: "Bearer secret" } });
});

test("with the text protocol tools are explained and not sent", async () => {
  server = await startModelServer({ replies: [{ text: "Look.\n```bash\nls\n```" }] });
  const model = await createModel({ ...settings("local/qwen", "text"), baseUrl: server.url }, {}, { clock });
  const reply = await ask(model, requestOf());
  expect(model.identity.protocol).toBe("text");
  expect(reply.calls).toEqual([{ id: "text-0", name: "bash", args: { command: "ls" } }]);
  expect(server.requests[0]?.body).not.toHaveProperty("tools");
  expect(server.requests[0]?.text).toContain("```bash");
});

test("a local server is found with its model, past ports where nobody or something else answers", async () => {
  server = await startModelServer({ models: ["qwen-local"] });
  const other = await startModelServer({ models: [""] });
  const port = Number(new URL(server.url).port);
  try {
    expect(await findLocalServer(fetch, [9, Number(new URL(other.url).port), port])).toEqual({ baseUrl: server.url, model: "qwen-local" });
  } finally {
    await other.close();
  }
  expect(await findLocalServer(fetch, [9])).toBeUndefined();
});

test("a local server that does not answer is given up after half a second", async () => {
  const silent = (_: string, { signal }: { signal: AbortSignal }) =>
    new Promise<Response>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  expect(await findLocalServer(silent)).toBeUndefined();
});
