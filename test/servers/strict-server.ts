import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono, type Context } from "hono";
import type { ServedTask } from "../../harness/models/simulated/server/served-tasks.ts";
import { createSimApp } from "../../harness/models/simulated/server/sim-app.ts";
import { anthropicBody } from "./anthropic-wire.ts";
import { openAiBody } from "./openai-wire.ts";
import type { ReceivedRequest, ScriptedSpeech, ScriptedStatus } from "./scripted-reply.ts";

/** A server that refuses what its provider documents to refuse; whatever it lets through, the simulated model answers. */
export interface StrictServer {
  /** With `/v1`, as the openai SDK wants it. */
  readonly url: string;
  /** Without, as the Anthropic SDK wants it. */
  readonly origin: string;
  /** What asked the model for something: a look whether the server is there does not. */
  readonly requests: ReceivedRequest[];
  /** The bodies of what was refused, in order. */
  readonly refusals: { readonly path: string; readonly status: number; readonly message: string }[];
  close(): Promise<void>;
}

/** What speaks behind the rules: the simulated model with its tasks, or a script that looks at each request. */
export type Speaker = readonly ServedTask[] | ((request: Pick<ReceivedRequest, "body">) => ScriptedSpeech);

/** A provider's rules, and its wire where that is not one of the speaker's: the arguments of `startStrictServer`. */
export interface StrictProvider {
  readonly refuse: (request: ReceivedRequest) => ScriptedStatus | undefined;
  readonly answer?: (request: ReceivedRequest, model: AskModel) => Promise<Response | undefined>;
}

/** Puts a request to the speaker, on a wire that it speaks. */
export type AskModel = (request: Pick<ReceivedRequest, "method" | "path" | "body">) => Promise<Response>;

/**
 * @param refuse the provider's rules: undefined for a request that it would take
 * @param answer a wire that the simulated model does not speak: undefined for a request on one that it does. It gets the model to ask
 * @param hear every request, with the provider's sentence where it was refused
 */
export async function startStrictServer(
  refuse: (request: ReceivedRequest) => ScriptedStatus | undefined,
  speaker: Speaker,
  answer?: (request: ReceivedRequest, model: AskModel) => Promise<Response | undefined>,
  hear?: (request: ReceivedRequest, refused: string | undefined) => void,
): Promise<StrictServer> {
  const requests: ReceivedRequest[] = [];
  const refusals: StrictServer["refusals"] = [];
  const model = typeof speaker === "function" ? undefined : createSimApp({ tasks: speaker, profile: "perfect" });
  const app = new Hono();
  app.all("*", async (c: Context) => {
    const request = await received(c);
    if (request.method === "POST") requests.push(request);
    const refusal = request.method === "POST" ? refuse(request) : undefined;
    hear?.(request, refusal && messageIn(refusal.body));
    if (refusal !== undefined) {
      refusals.push({ path: request.path, status: refusal.status, message: messageIn(refusal.body) });
      return Response.json(refusal.body, { status: refusal.status, ...(refusal.headers ? { headers: refusal.headers } : {}) });
    }
    const ask: AskModel = async ({ method, path, body }) => {
      if (typeof speaker === "function") return spoken(speaker({ body }), { path, body, serial: requests.length });
      // The simulated model goes by another name.
      const named = JSON.stringify({ ...body, model: "sim-7" });
      const inner = new Request(new URL(path, c.req.url), { method, ...(method === "POST" ? { body: named } : {}) });
      return model?.fetch(inner) ?? new Response(null, { status: 404 });
    };
    return (await answer?.(request, ask)) ?? ask(request);
  });
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }) as Server; // made without options of its own, it is node:http's
  // Else a kept connection may end after 5 s, just when a client of a busy machine takes it up again.
  server.keepAliveTimeout = 600_000;
  if (!server.listening) await new Promise<void>((resolve) => void server.once("listening", () => resolve()));
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    url: `http://127.0.0.1:${port}/v1`,
    origin: `http://127.0.0.1:${port}`,
    requests,
    refusals,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function received(c: Context): Promise<ReceivedRequest> {
  const text = await c.req.text();
  const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>); // the rules look into it key by key
  return { method: c.req.method, path: c.req.path, headers: c.req.header(), query: c.req.query(), text, body };
}

/** A reply on the wire of the request. */
export function spoken(
  reply: ScriptedSpeech,
  { path, body, serial }: { path: string; body: ReceivedRequest["body"]; serial: number },
): Response {
  const stream = body["stream"] === true;
  const asked = String(body["model"]);
  const said =
    path === "/v1/messages" ? anthropicBody(reply, stream, asked, serial) : openAiBody(reply, { stream, withUsage: true, asked, serial });
  const headers = { "content-type": stream ? "text/event-stream" : "application/json", "x-request-id": `req_${serial}` };
  return new Response(cutAfter(said, reply), { headers });
}

/** The whole body, or as many of its bytes and then no connection. */
export function cutAfter(
  body: string,
  { breakAfterBytes: end }: Pick<ScriptedSpeech, "breakAfterBytes">,
): string | ReadableStream<Uint8Array> {
  if (end === undefined) return body;
  return new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from(body).subarray(0, end)),
    pull: (controller) => controller.error(new Error("cut")),
  });
}

/** The sentence in a provider's error: in `error`, which Google puts into a list, or beside it, as AWS does. */
function messageIn(body: unknown): string {
  const { error, message } = (Array.isArray(body) ? body[0] : body) as { error?: { message: string } | string; message?: string }; // these servers write nothing else
  return message ?? (typeof error === "string" ? error : (error?.message ?? ""));
}
