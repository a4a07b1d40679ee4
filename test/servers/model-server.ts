import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { anthropicBody } from "./anthropic-wire.ts";
import { openAiBody } from "./openai-wire.ts";
import type { ReceivedRequest, ScriptedRaw, ScriptedReply, ScriptedSpeech, ScriptedStatus } from "./scripted-reply.ts";

export interface ModelServer {
  /** Base URL for the openai SDK: `http://127.0.0.1:PORT/v1`. */
  readonly url: string;
  /** Base URL for the Anthropic SDK, which adds `/v1` itself. */
  readonly origin: string;
  /** Every request but `GET /v1/models`, in order of arrival. */
  readonly requests: ReceivedRequest[];
  /** Adds to the end of the script. */
  push(...replies: (ScriptedReply | ((request: ReceivedRequest) => ScriptedReply))[]): void;
  /** From now on answers whatever the script does not. */
  answerAll(always: (request: ReceivedRequest) => ScriptedReply): void;
  close(): Promise<void>;
}

/**
 * A small real HTTP server that speaks both wire formats (Anthropic messages, OpenAI chat completions), streaming or not, and misbehaves
 * where the script says so. Replies are served one a request, in order; past the script's end it answers 400. `always` answers
 * whatever the script does not.
 */
export async function startModelServer(o: {
  replies?: readonly (ScriptedReply | ((request: ReceivedRequest) => ScriptedReply))[];
  always?: (request: ReceivedRequest) => ScriptedReply;
  models?: readonly string[];
  port?: number;
}): Promise<ModelServer> {
  const script = [...(o.replies ?? [])];
  let always = o.always;
  const requests: ReceivedRequest[] = [];
  const server = createServer((incoming, response) => {
    response.socket?.setNoDelay(true);
    // A client that goes away in mid-answer is part of the tests.
    void answer(incoming, response).catch(() => response.destroy());
  });
  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await receive(incoming);
    if (request.method === "GET" && request.path === "/v1/models") {
      const data = (o.models ?? ["scripted"]).map((id) => ({ id, object: "model" }));
      return sendStatus(response, { status: 200, body: { object: "list", data } });
    }
    requests.push(request);
    const serial = requests.length;
    const wire = { "/v1/messages": "anthropic", "/v1/chat/completions": "openai" }[request.path];
    if (wire === undefined || request.method !== "POST") {
      return sendStatus(response, { status: 404, body: { error: { type: "not_found_error", message: `no ${request.path} here` } } });
    }
    const next = script.shift() ?? always;
    const reply = typeof next === "function" ? next(request) : next;
    if (reply === undefined) {
      return sendStatus(response, { status: 400, body: { error: { message: `request ${serial}: the script has no more replies` } } });
    }
    if ("silence" in reply) return keepSilent(response, reply.silence);
    if ("status" in reply) return sendStatus(response, reply);
    if ("raw" in reply) return sendRaw(response, reply);
    const stream = request.body["stream"] === true;
    const asked = String(request.body["model"]);
    const options = request.body["stream_options"] as { include_usage?: boolean } | undefined; // what a client sends: read leniently
    const body =
      wire === "anthropic"
        ? anthropicBody(reply, stream, asked, serial)
        : openAiBody(reply, { stream, withUsage: options?.include_usage === true, asked, serial });
    response.setHeader("request-id", `req_${serial}`);
    response.setHeader("x-request-id", `req_${serial}`);
    await sendBody(response, body, stream, reply);
  }
  // Else a kept connection may end after 5 s, just when a client of a busy machine takes it up again.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(o.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a listening TCP server always has one
  return {
    url: `http://127.0.0.1:${port}/v1`,
    origin: `http://127.0.0.1:${port}`,
    requests,
    push: (...more) => void script.push(...more),
    answerAll: (answer) => void (always = answer),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function receive(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer); // no encoding is set, so pieces are Buffers
  const text = Buffer.concat(pieces).toString("utf8");
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(text) as Record<string, unknown>; // tests look into it key by key
  } catch {
    // GET has no body, and a client may send anything: `text` has it.
  }
  const path = (incoming.url ?? "/").split("?")[0] ?? "/";
  return { method: incoming.method ?? "GET", path, headers: incoming.headers, text, body };
}

function sendStatus(response: ServerResponse, reply: ScriptedStatus): void {
  const text =
    typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? { error: { message: `scripted ${reply.status}` } });
  response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
  response.end(text);
}

async function sendRaw(response: ServerResponse, reply: ScriptedRaw): Promise<void> {
  response.writeHead(200, { "content-type": reply.contentType ?? "text/event-stream" });
  await writeInPieces(response, Buffer.from(reply.raw as string), reply.chunkBytes); // Buffer.from takes both; its overloads do not take the union
  response.end();
}

async function sendBody(response: ServerResponse, body: string, stream: boolean, reply: ScriptedSpeech): Promise<void> {
  const bytes = Buffer.from(body);
  if (reply.afterMs !== undefined) await wait(reply.afterMs);
  response.writeHead(200, { "content-type": stream ? "text/event-stream; charset=utf-8" : "application/json" });
  response.flushHeaders();
  const end = reply.breakAfterBytes ?? reply.hangAfterBytes;
  await writeInPieces(response, end === undefined ? bytes : bytes.subarray(0, end), reply.chunkBytes, reply.chunkEveryMs);
  if (reply.breakAfterBytes !== undefined) response.destroy();
  else if (reply.hangAfterBytes === undefined) response.end();
}

async function writeInPieces(response: ServerResponse, bytes: Buffer, size = bytes.length, everyMs?: number): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    await new Promise<void>((resolve) => response.write(bytes.subarray(at, at + size), () => resolve()));
    await (everyMs === undefined ? turn() : wait(everyMs));
  }
}

function keepSilent(response: ServerResponse, how: "hang" | "endless-headers" | "reset"): void {
  const socket = response.socket;
  if (how === "reset") socket?.destroy();
  if (how !== "endless-headers") return;
  socket?.write("HTTP/1.1 200 OK\r\n");
  const timer = setInterval(() => socket?.write(`x-filler: ${"a".repeat(500)}\r\n`), 1);
  socket?.on("error", () => clearInterval(timer));
  socket?.on("close", () => clearInterval(timer));
}
