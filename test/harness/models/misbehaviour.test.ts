import { afterEach, describe, expect, test } from "vitest";
import { ModelError, type ModelErrorKind } from "../../../harness/contract/model-error.ts";
import { createAnthropicModel } from "../../../harness/models/providers/anthropic.ts";
import { createOpenAiModel } from "../../../harness/models/providers/openai.ts";
import { type ModelServer, startModelServer } from "../../servers/model-server.ts";
import type { ScriptedReply } from "../../servers/scripted-reply.ts";
import { ask, clock } from "./talk.ts";

let server: ModelServer;
afterEach(() => server.close());

const providers = {
  anthropic: (idleMs: number) =>
    createAnthropicModel({ provider: "anthropic", name: "m", apiKey: "k", baseUrl: server.origin, clock, idleMs }),
  openai: (idleMs: number) => createOpenAiModel({ provider: "openai", name: "m", apiKey: "k", baseUrl: server.url, clock, idleMs }),
} as const;

const error = (status: number, message: string, headers: Record<string, string> = {}): ScriptedReply => ({
  status,
  headers,
  body: { type: "error", error: { type: "some_error", message } },
});
const failures: [string, ScriptedReply, ModelErrorKind][] = [
  ["400", error(400, "bad field"), "invalid"],
  ["401", error(401, "bad key"), "auth"],
  ["402", error(402, "no money"), "quota"],
  ["403", error(403, "not yours"), "auth"],
  ["404", error(404, "no such model"), "not_found"],
  ["408", error(408, "slow"), "timeout"],
  ["409", error(409, "busy"), "conflict"],
  ["429", error(429, "slow down"), "rate_limit"],
  ["429 of an empty purse", { status: 429, body: { error: { code: "insufficient_quota", message: "You exceeded your quota" } } }, "quota"],
  ["500", error(500, "oops"), "server"],
  ["503", error(503, "later"), "overloaded"],
  ["529", error(529, "Overloaded"), "overloaded"],
  ["an empty body under 500", { status: 500, body: "" }, "server"],
  ["a page of HTML under 502", { status: 502, body: "<html>Bad Gateway</html>", headers: { "content-type": "text/html" } }, "server"],
  ["a closed connection", { silence: "reset" }, "connection"],
  ["headers without end", { silence: "endless-headers" }, "connection"],
  ["no answer at all", { silence: "hang" }, "timeout"],
  ["a stream that breaks", { text: "x".repeat(500), breakAfterBytes: 400 }, "stream"],
  ["a stream that hangs", { text: "x".repeat(500), hangAfterBytes: 400 }, "timeout"],
  [
    "a stream that is overloaded in the middle",
    { text: "x", streamError: { type: "overloaded_error", message: "Overloaded" } },
    "overloaded",
  ],
  ["garbage in the stream", { raw: "event: message_start\ndata: {{{{\n\n" }, "stream"],
];

describe.each(["anthropic", "openai"] as const)("%s", (provider) => {
  test.each(failures)("%s", async (_, reply, kind) => {
    server = await startModelServer({ replies: [reply] });
    // Only a server that says nothing is to be found silent, however busy the machine is.
    const failure: unknown = await ask(providers[provider](kind === "timeout" ? 300 : 10_000)).catch((caught: unknown) => caught);
    expect(failure).toBeInstanceOf(ModelError);
    expect(failure).toMatchObject({ kind, message: expect.stringMatching(/^(anthropic|openai)\/m .*\.$/s) as string });
    expect(server.requests.length, "one try, no retries of the SDK").toBe(1);
  });

  test.each([
    ["an empty stream", { raw: "" }],
    ["a page of HTML under 200", { raw: "<html>welcome</html>", contentType: "text/html" }],
    ["JSON of something else", { raw: 'data: {"hello": [1, null]}\n\nevent: x\ndata: {"type": "content_block_delta"}\n\n' }],
    [
      "nulls where objects belong",
      { raw: 'data: {"choices":[null]}\n\nevent: message_start\ndata: {"type":"message_start","message":null}\n\n' },
    ],
    ["a bare null", { raw: "event: x\ndata: null\n\n" }],
  ])("%s is an error to try again, never a TypeError", async (_, reply) => {
    server = await startModelServer({ replies: [reply] });
    const failure: unknown = await ask(providers[provider](10_000)).catch((caught: unknown) => caught);
    expect(failure).toBeInstanceOf(ModelError);
    expect(["stream", "server"]).toContain((failure as ModelError).kind);
  });

  test("retry-after reaches the error", async () => {
    server = await startModelServer({ replies: [error(429, "slow down", { "retry-after": "7" })] });
    await expect(ask(providers[provider](10_000))).rejects.toMatchObject({ retryAfterMs: 7_000, status: 429, retryable: true });
  });

  test.each([
    "prompt is too long: 212000 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "the request exceeds the available context size. try increasing the context size or enable context shift",
    "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
    "the input length exceeds the context length",
    "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
  ])("a full context is told by its words: %s", async (message) => {
    server = await startModelServer({ replies: [error(400, message)] });
    await expect(ask(providers[provider](10_000))).rejects.toMatchObject({ kind: "context" });
  });

  test("an abort throws its reason, before and in mid-stream", async () => {
    const controller = new AbortController();
    const stop = (): void => controller.abort(new Error("stop it"));
    // From where the request is there: a busy machine may take longer than this to send it.
    const reply = (): ScriptedReply => (setTimeout(stop, 200), { text: "x".repeat(500), hangAfterBytes: 450 });
    server = await startModelServer({ replies: [reply] });
    const model = providers[provider](10_000);
    const running = ask(model, undefined, { signal: controller.signal, onText: stop });
    await expect(running).rejects.toThrow("stop it");
    await expect(ask(model, undefined, { signal: controller.signal })).rejects.toThrow("stop it");
    expect(server.requests).toHaveLength(1);
  });

  test("a server that is not there is named", async () => {
    server = await startModelServer({});
    const model = providers[provider](10_000);
    await server.close();
    await expect(ask(model)).rejects.toMatchObject({ kind: "connection", message: expect.stringContaining("ECONNREFUSED") as string });
  });
});
