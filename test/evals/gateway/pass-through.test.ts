import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { PassedOn } from "../../../evals/gateway/upstream.ts";
import { agentWires, type AgentWireName } from "../../../harness/contract/resolved-config.ts";
import type { ResponsesSpeech } from "../../servers/responses-wire.ts";
import type { ScriptedStatus } from "../../servers/scripted-reply.ts";
import { anthropicAccounts, anthropicRefusal } from "../../servers/strict/strict-anthropic.ts";
import { accounts, startStrictResponses } from "../../servers/strict/strict-responses.ts";
import { spoken, startStrictServer, type StrictServer } from "../../servers/strict-server.ts";
import { identity, started, trial } from "./gateway-fixture.ts";

/** What the provider says to a request that its rules let through. */
type Answer = ResponsesSpeech | ScriptedStatus;

/** A provider as strict as its documentation, and the gateway before it. */
async function passing(wire: AgentWireName, answers: readonly Answer[], o: { readonly key?: string; readonly limits?: object } = {}) {
  const left = [...answers];
  const server = await strict(wire, () => left.shift() ?? { status: 500, body: { error: { message: "nothing is left to say" } } });
  started.push(() => server.close());
  const { model, path } = facts[wire];
  const key = o.key ?? "the-real-key";
  const upstream: PassedOn = {
    type: "pass",
    wire,
    url: `${server.origin}${path}`,
    headers: wire === "anthropic-messages" ? { "x-api-key": key } : { authorization: `Bearer ${key}` },
    identity: { ...identity, name: model },
    price: { input: 1, output: 10, cached: 0.1, cacheWrite: 2 },
  };
  const at = await trial({ upstream, model, limits: o.limits ?? {} });
  const headers = { "x-api-key": at.token, "anthropic-version": "2023-06-01" };
  const send = (body: object = {}) => at.ask(wire, { headers, body: { ...facts[wire].body, ...body } });
  return { ...at, server, send };
}

function strict(wire: AgentWireName, next: () => Answer): Promise<StrictServer> {
  if (wire !== "anthropic-messages") return startStrictResponses([], { reply: next });
  let serial = 0;
  return startStrictServer(anthropicRefusal, [], async ({ path, body }) => {
    const reply = next();
    if ("status" in reply) return Response.json(reply.body, { status: reply.status, headers: reply.headers ?? {} });
    return spoken(reply, { path, body, serial: ++serial });
  });
}

const user = { role: "user", content: "hello" };
/** What the fixture's request has of other wires. */
const none = { messages: undefined, input: undefined, max_tokens: undefined };
const facts = {
  "openai-chat": {
    path: "/v1/chat/completions",
    model: "gpt-5-mini",
    body: { ...none, model: "gpt-5-mini", messages: [user], stream_options: { include_usage: true } },
    /** Refused by the provider's rules. */
    wrong: { reasoning_effort: "huge" },
    badKey: accounts.wrong,
    error: (type: string, message: string) => ({ error: { message, type, param: null, code: null } }),
  },
  "openai-responses": {
    path: "/v1/responses",
    model: "gpt-5-mini",
    body: { ...none, model: "gpt-5-mini", input: [user], store: false },
    wrong: { reasoning: { effort: "huge" } },
    badKey: accounts.wrong,
    error: (type: string, message: string) => ({ error: { message, type, param: null, code: null } }),
  },
  "anthropic-messages": {
    path: "/v1/messages",
    model: "claude-opus-5-5",
    body: { ...none, model: "claude-opus-5-5", messages: [user], max_tokens: 1_000 },
    wrong: { top_k: 5 },
    badKey: anthropicAccounts.wrong,
    error: (type: string, message: string) => ({ type: "error", error: { type, message }, request_id: "req_1" }),
  },
} as const;

const speech = { text: "Héllo 🙂.", calls: [{ id: "call_a", name: "bash", args: { command: "ls" } }] } as const;
const usage = { input: 1_000, output: 50, cached: 400, cacheWrite: 100, reasoning: 7 };
const both = agentWires.flatMap((wire) => [false, true].map((stream) => [wire, stream] as const));

describe.each(both)("a provider behind the gateway, over %s (streamed: %s)", (wire, stream) => {
  it("gets the agent's bytes and its own key, and the agent gets the provider's bytes", async () => {
    const { send, server, events, token } = await passing(wire, [speech, speech]);
    const response = await send({ stream });
    expect([response.status, response.headers.get("content-type")?.split(";")[0]]).toEqual([
      200,
      stream ? "text/event-stream" : "application/json",
    ]);
    const got = await response.text();
    expect(server.refusals).toEqual([]);
    expect(server.requests).toMatchObject([{ body: JSON.parse(JSON.stringify({ ...facts[wire].body, stream })) as object }]);
    expect(JSON.stringify(server.requests)).toContain("the-real-key");
    expect(JSON.stringify(server.requests)).not.toContain(token);
    const { path, body } = facts[wire];
    const direct = await fetch(`${server.origin}${path}`, {
      method: "POST",
      headers: { "x-api-key": "direct", authorization: "Bearer direct", "anthropic-version": "2023-06-01" },
      body: JSON.stringify({ ...body, stream }),
    });
    const plain = (text: string): string => text.replaceAll(/_\d+(_\d+)?\b|chatcmpl-\d+/g, ""); // the provider numbers its replies
    expect(plain(got)).toBe(plain(await direct.text()));
    expect(events.map(({ t }) => t)).toEqual(["run.start", "model.request", "model.response", "tool.call"]);
    expect(events[2]?.d).toMatchObject({ observed: { status: 200, body: expect.stringContaining(stream ? "data: " : "{") } });
    expect(JSON.stringify(events[2]?.d["message"])).toContain("Héllo 🙂.");
    expect(events[3]?.d).toMatchObject({ call: { name: "bash", args: { command: "ls" } } });
  });

  it("is charged by its own count: cached, written and reasoning tokens", async () => {
    const { send, events, run } = await passing(wire, [{ ...speech, usage }]);
    await (await send({ stream })).text();
    const written = wire === "openai-chat" ? {} : { cacheWrite: 100 }; // this wire has no word for it
    expect(events[2]?.d["usage"]).toEqual({ input: 1_000, output: 50, cached: 400, ...written, reasoning: 7 });
    const costUsd = wire === "openai-chat" ? (600 + 40 + 500) / 1e6 : (500 + 40 + 200 + 500) / 1e6;
    expect(events[2]?.d["costUsd"]).toBeCloseTo(costUsd, 10);
    expect(run.spent).toMatchObject({ input: 1_000, output: 50, cached: 400, turns: 1 });
  });

  it.each([
    [400, /^(invalid|parameter)$/, {}],
    [401, "auth", {}],
    [429, "rate_limit", { "retry-after": "7" }],
    [529, "overloaded", {}],
  ] as const)("that answers %i is heard as it is, and recorded as %s", async (status, kind, headers) => {
    const { error, wrong, badKey } = facts[wire];
    const says = error(status === 529 ? "overloaded_error" : "rate_limit_error", "Not now.");
    const { send, events, server } = await passing(wire, [{ status, headers, body: says }], status === 401 ? { key: badKey } : {});
    const response = await send({ stream, ...(status === 400 ? wrong : {}) });
    expect([response.status, response.headers.get("retry-after")]).toEqual([status, status === 429 ? "7" : null]);
    const body = await response.text();
    const refused = server.refusals[0]?.message;
    if (status === 400 || status === 401) expect(body).toContain(JSON.stringify(refused));
    else expect(JSON.parse(body)).toEqual(says);
    expect(events.map(({ t }) => t)).toEqual(["run.start", "model.request", "model.attempt"]);
    expect(events[2]?.d).toMatchObject({ status, ...(status === 429 ? { retryAfterMs: 7_000 } : {}) });
    expect(events[2]?.d["kind"]).toMatch(kind);
    expect(events[2]?.d["message"]).toContain(refused ?? "Not now.");
  });

  it("whose connection is cut in mid-reply is a broken stream, and the agent's try after it is the same request's next one", async () => {
    const { send, events } = await passing(wire, [{ ...speech, breakAfterBytes: 150 }, speech]);
    const response = await send({ stream });
    if (stream) {
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toBeInstanceOf(Error);
    } else {
      expect(response.status).toBe(502);
      expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("broke off in mid-answer") } });
    }
    await (await send({ stream })).text();
    expect(events.map(({ t, d }) => [t, d["kind"] ?? d["attempt"]]).slice(1, 4)).toEqual([
      ["model.request", undefined],
      ["model.attempt", "stream"],
      ["model.response", 1],
    ]);
  });

  it("that the agent has used up to a limit gets no further request, and the agent's own client says why and tries no more", async () => {
    const { send, events, server, url, token, overruns } = await passing(wire, [speech], { limits: { turns: 1 } });
    await (await send({ stream })).text();
    const { model } = facts[wire];
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: token });
    const asks = {
      "openai-chat": () => openai.chat.completions.create({ model, messages: [{ role: "user", content: "on" }], stream }),
      "openai-responses": () => openai.responses.create({ model, input: "on", stream }),
      "anthropic-messages": () =>
        new Anthropic({ baseURL: url, apiKey: token }).messages.create({
          model,
          max_tokens: 9,
          messages: [{ role: "user", content: "on" }],
          stream,
        }),
    };
    const thrown = await asks[wire]().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(
      { "openai-chat": OpenAI.AuthenticationError, "openai-responses": OpenAI.BadRequestError, "anthropic-messages": Anthropic.PermissionDeniedError }[wire], // prettier-ignore
    );
    expect(String(thrown)).toContain("This run has reached its limit turns (1 of 1). Stop now");
    expect([server.requests.length, overruns()]).toEqual([1, 0]);
    expect(events.filter(({ t }) => t === "limit.hit")).toHaveLength(1);
    expect(events.filter(({ t }) => t === "model.request")).toHaveLength(1);
  });
});

describe.each(agentWires)("a stream of %s", (wire) => {
  it("that reports a failure after its 200 is handed on to its end, and recorded as that failure", async () => {
    const failure = { type: "overloaded_error", message: "Overloaded, sorry." };
    const { send, events } = await passing(wire, [{ text: "Half", streamError: failure, error: { code: "overloaded_error", ...failure } }]);
    expect(await (await send({ stream: true })).text()).toContain("Overloaded, sorry.");
    expect(events.at(-1)).toMatchObject({
      t: "model.attempt",
      d: { kind: "overloaded", message: expect.stringContaining("Overloaded, sorry.") },
    });
  });

  it("without a count of tokens has its tokens estimated and no cost, which a limit of cost notes once", async () => {
    const { send, events, notes } = await passing(
      wire,
      [
        { text: "a", usage: null },
        { text: "b", usage: null },
      ],
      { limits: { costUsd: 1 } },
    );
    for (const content of ["one", "two"]) await (await send({ stream: true, messages: [{ role: "user", content }], input: [{ role: "user", content }], ...(wire === "openai-responses" ? { messages: undefined } : { input: undefined }) })).text(); // prettier-ignore
    expect(events[2]?.d).toMatchObject({ costUsd: null, usage: { input: expect.any(Number) } });
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(/did not count the tokens of a reply, so its cost is not known and limits\.costUsd does not count it/);
  });
});
