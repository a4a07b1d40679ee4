import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { Upstream } from "../../../evals/gateway/upstream.ts";
import { agentWires } from "../../../harness/contract/resolved-config.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { identity, started, trial } from "./gateway-fixture.ts";

const types = (events: readonly RunEvent[]): string[] => events.map(({ t }) => t);

/** A provider that hears requests and answers by `answer`. */
async function provider(
  answer: (request: IncomingMessage, body: string, reply: Parameters<Parameters<typeof createServer>[1] & object>[1]) => void,
) {
  const heard: { headers: IncomingMessage["headers"]; body: string; url: string }[] = [];
  const server: Server = createServer((request, reply) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      heard.push({ headers: request.headers, body, url: request.url ?? "" });
      answer(request, body, reply);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  started.push(() => new Promise<void>((done) => (server.closeAllConnections(), server.close(() => done()))));
  const { port } = server.address() as AddressInfo; // it listens
  const upstream: Upstream = {
    type: "pass",
    wire: "openai-chat",
    url: `http://127.0.0.1:${port}/v1/chat/completions`,
    headers: { authorization: "Bearer real-key" },
    identity,
    price: { input: 1, output: 2, cached: 0.1 },
  };
  return { heard, upstream };
}

describe("the gateway", () => {
  it.each(agentWires)("answers %s, streamed and not, and records both", async (wire) => {
    const { ask, events } = await trial();
    for (const stream of [false, true]) {
      const response = await ask(wire, { body: { stream } });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain("hi");
      expect(response.headers.get("content-type")).toMatch(stream ? "text/event-stream" : "application/json");
    }
    expect(types(events)).toEqual(["run.start", "model.request", "model.response", "model.request", "model.response"]);
    expect(events[1]?.d).toMatchObject({ add: [{ ref: "main#0" }], observed: { wire, stream: false } });
  });

  it("tells trials apart by their token, in each header that agents send it in and before the path, and knows no other", async () => {
    const { ask, token } = await trial();
    const statuses = await Promise.all([
      ask("anthropic-messages", { headers: { "x-api-key": token } }),
      ask("openai-chat", { headers: {}, path: `/t/${token}/v1/chat/completions` }),
      ask("openai-chat", { path: "/chat/completions" }),
      ask("openai-chat", { headers: { authorization: "Bearer other" } }),
      ask("openai-chat", { headers: {} }),
    ]).then((all) => all.map(({ status }) => status));
    expect(statuses).toEqual([200, 200, 200, 401, 401]);
  });

  it.each([
    ["anthropic-messages", 403],
    ["openai-chat", 401],
    ["openai-responses", 400],
  ] as const)("stops an agent of %s at a limit with %i, and has one that goes on ended", async (wire, status) => {
    const { ask, events, overruns } = await trial({ limits: { turns: 1 } });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await ask(wire)).status);
    expect(statuses).toEqual([200, status, status, status, status, status]);
    expect(events.filter(({ t }) => t === "limit.hit")).toHaveLength(1);
    expect(overruns()).toBeGreaterThan(0);
  });

  it("refuses a WebSocket with 426, lists its one model, counts tokens, and has no other path", async () => {
    const { url, token, port } = await trial();
    const headers = { authorization: `Bearer ${token}` };
    const socket = connect(port, "127.0.0.1");
    socket.write("GET /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    const [first] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    expect(first.toString()).toMatch(/^HTTP\/1\.1 426 /);
    expect(await (await fetch(`${url}/v1/models`, { headers })).json()).toMatchObject({ data: [{ id: "m" }] });
    const counted = await fetch(`${url}/v1/messages/count_tokens`, {
      method: "POST",
      headers,
      body: '{"messages":[{"role":"user","content":"hello"}]}',
    });
    expect(await counted.json()).toEqual({ input_tokens: expect.any(Number) });
    expect((await fetch(`${url}/v1/embeddings`, { method: "POST", headers })).status).toBe(404);
  });

  it("refuses what is no request, in its provider's form, and notes it", async () => {
    const { url, token, notes, events } = await trial();
    const headers = { authorization: `Bearer ${token}` };
    const send = (body: string) => fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
    const deep = `${"[".repeat(2_000)}${"]".repeat(2_000)}`;
    const statuses = [];
    for (const body of ["", "no json", "[]", `{"model":"m","messages":${deep}}`, '{"model":"other"}'])
      statuses.push((await send(body)).status);
    expect(statuses).toEqual([400, 400, 400, 400, 404]);
    expect(notes).toHaveLength(5);
    expect(types(events)).toEqual(["run.start"]);
  });

  it("records a reply to its end and byte by byte, where its text holds a stream's end and characters come in pieces", async () => {
    const words = ["data: [DONE] „ü", "message_stop response.completed 🙂", " and on"];
    const pieces = words.map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
    const said = Buffer.from(`${pieces.join("")}data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`);
    let came: () => void = () => undefined;
    const { upstream } = await provider(async (_, __, reply) => {
      reply.writeHead(200, { "content-type": "text/event-stream" });
      for (const byte of said) {
        const arrived = new Promise<void>((done) => (came = done));
        reply.write(Buffer.from([byte]));
        await arrived; // so that each byte is a piece of its own
      }
      reply.end();
    });
    const { ask, events } = await trial({ upstream });
    const got: Uint8Array[] = [];
    for await (const piece of (await ask("openai-chat", { body: { stream: true } })).body ?? []) {
      got.push(piece);
      came();
    }
    expect(Buffer.concat(got).equals(said)).toBe(true);
    expect(events.at(-1)?.d).toMatchObject({
      message: { content: [{ type: "text", text: words.join("") }] },
      observed: { body: said.toString("utf8").slice(0, -1) }, // recorded when its last event had come, before the empty line behind that
    });
  });

  it("passes bytes through to a provider with the real key, and reads tokens and cost as they pass", async () => {
    const said =
      'data: {"choices":[{"delta":{"content":"hé"}}]}\n\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":10}}\n\ndata: [DONE]\n\n';
    const { heard, upstream } = await provider(
      (_, __, reply) => void reply.writeHead(200, { "content-type": "text/event-stream" }).end(said),
    );
    const { ask, events, token } = await trial({ upstream, model: "upstream-name" });
    const response = await ask("openai-chat", { body: { model: "upstream-name", stream: true, odd: { kept: [1, 2] } } });
    expect(await response.text()).toBe(said);
    expect(heard[0]?.headers.authorization).toBe("Bearer real-key");
    expect(JSON.stringify(heard)).not.toContain(token);
    expect(JSON.parse(heard[0]?.body ?? "")).toMatchObject({ odd: { kept: [1, 2] } });
    expect(events.at(-1)).toMatchObject({
      t: "model.response",
      d: { usage: { input: 1000, output: 10 }, costUsd: 0.00102, observed: { status: 200, body: said } },
    });
  });

  it("hands a provider's failure on as it is, and counts the retry as the same request's next try", async () => {
    let failures = 1;
    const whole = { choices: [{ message: { content: "hi" }, finish_reason: "stop" }], usage: { prompt_tokens: 1, completion_tokens: 1 } };
    const { upstream } = await provider((_, __, reply) => {
      if (failures-- > 0)
        reply.writeHead(429, { "content-type": "application/json", "retry-after": "0" }).end('{"error":{"message":"slow down"}}');
      else reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
    });
    const { ask, events } = await trial({ upstream });
    const first = await ask("openai-chat");
    expect([first.status, await first.text(), first.headers.get("retry-after")]).toEqual([429, '{"error":{"message":"slow down"}}', "0"]);
    expect((await ask("openai-chat")).status).toBe(200);
    expect(events.map(({ t, d }) => [t, d["attempt"]]).slice(1)).toEqual([
      ["model.request", undefined],
      ["model.attempt", 0],
      ["model.response", 1],
    ]);
    expect(events[2]?.d).toMatchObject({ kind: "rate_limit", status: 429 });
  });

  it.each(["before the reply begins", "within the reply"])("has recorded what it cuts when its trial is closed: %s", async (when) => {
    let asked: () => void = () => undefined;
    const waiting = new Promise<void>((done) => (asked = done));
    const { upstream } = await provider((_, __, reply) => {
      if (when === "within the reply")
        reply.writeHead(200, { "content-type": "text/event-stream" }).write('data: {"choices":[{"delta":{"content":"one"}}]}\n\n');
      asked();
    });
    const made = await trial({ upstream });
    const asking = made
      .ask("openai-chat", { body: { stream: true } })
      .then((response) => response.text())
      .catch(String);
    await waiting;
    await made.close();
    expect(made.events.at(-1)).toMatchObject({ t: "model.attempt", d: { kind: "cut" } });
    expect(await asking).toMatch(/TypeError: (fetch failed|terminated)/);
  });

  it("ends the provider's call when the agent closes its connection, and records that", async () => {
    let closed: () => void = () => undefined;
    const gone = new Promise<void>((done) => (closed = done));
    const { upstream } = await provider((_, __, reply) => {
      reply.on("close", closed);
      reply.writeHead(200, { "content-type": "text/event-stream" }).write('data: {"choices":[{"delta":{"content":"one"}}]}\n\n');
    });
    const made = await trial({ upstream });
    const leaving = new AbortController();
    const response = await fetch(`${made.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${made.token}` },
      body: JSON.stringify({ model: "m", stream: true, messages: [] }),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    await gone;
    expect(made.events.at(-1)).toMatchObject({
      t: "model.attempt",
      d: { kind: "cut", message: "The agent closed its connection.", stage: "answering" },
    });
  });
});
