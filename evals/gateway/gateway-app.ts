import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { messageOf } from "../../harness/errors.ts";
import { estimateUsage } from "../../harness/models/prices/estimate-usage.ts";
import { answerRequest } from "./answer-request.ts";
import type { GatewayTrial, TrialState } from "./gateway-trial.ts";
import { readBody } from "./read-body.ts";
import { gatewayWires } from "./wires/gateway-wires.ts";
import { messagesWire } from "./wires/messages-wire.ts";

/** Answers the trial that a token belongs to; undefined for a token of none, or of one that has ended. */
export type FindTrial = (token: string) => OpenTrial | undefined;

export interface OpenTrial {
  readonly trial: GatewayTrial;
  readonly state: TrialState;
  /** Answers that are not whole yet, each until what it records is recorded. */
  readonly answering: Map<ServerResponse, Promise<void>>;
}

/**
 * The gateway as what Node's server calls for each request. A trial is known by its token, in the header in which its agent sends a key, or as `/t/TOKEN/…` before
 * the path. Whatever is asked, the answer is one in the provider's form.
 */
export function createGatewayApp(find: FindTrial): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return (incoming, outgoing) => {
    let asked: OpenTrial | undefined;
    const known: FindTrial = (token) => (asked = find(token));
    const answered = answer(known, incoming, outgoing)
      .then((response) => response && send(response, outgoing))
      .catch((error: unknown) => {
        if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy(); // a stream that broke off, or an agent that has gone
        asked?.trial.note("The gateway failed on a request.", { error: messageOf(error) });
        outgoing.writeHead(500, { "content-type": "application/json" }).end('{"error":{"message":"The gateway failed."}}');
      })
      .finally(() => asked?.answering.delete(outgoing));
    asked?.answering.set(outgoing, answered); // it was looked for before anything was waited for
  };
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body as NodeStream), outgoing); // Node's type of the same
}

async function answer(find: FindTrial, incoming: IncomingMessage, outgoing: ServerResponse): Promise<Response | undefined> {
  const { method } = incoming;
  const url = new URL(`http://gateway${incoming.url ?? "/"}`);
  const headers = headersOf(incoming);
  const { pathname } = url;
  const [, fromPath, below] = /^\/t\/([^/]+)(\/.*)?$/.exec(pathname) ?? [];
  const path = `/v1${(below ?? pathname).replace(/^\/v1(?=\/|$)/, "").replace(/\/+$/, "")}`;
  const wire = Object.values(gatewayWires).find((each) => each.path === path);
  const form = wire ?? (headers.has("anthropic-version") || headers.has("x-api-key") ? messagesWire : gatewayWires["openai-chat"]);
  const refuse = (status: 401 | 404 | 405 | 426, words: string): Response => Response.json(form.error(status, words), { status });
  if (headers.get("upgrade")) return refuse(426, "The gateway takes no WebSockets; use POST.");
  if (method === "HEAD") return new Response(null);
  const known = find(fromPath ?? tokenIn(headers));
  if (!known) return refuse(401, "This key is not the token of a trial that runs.");
  const { trial, state } = known;
  if (method === "GET" && path === "/v1/models")
    return Response.json({ object: "list", data: [card(trial.model)], has_more: false, first_id: trial.model, last_id: trial.model });
  if (method === "GET" && path === `/v1/models/${trial.model}`) return Response.json(card(trial.model));
  if (method === "POST" && path === `${messagesWire.path}/count_tokens`) {
    const body = await readBody(incoming);
    if ("why" in body) return Response.json(messagesWire.error(body.status, body.why), { status: body.status });
    const { input } = estimateUsage(messagesWire.read(body.json).request, { role: "assistant", content: [] });
    return Response.json({ input_tokens: input });
  }
  if (!wire) return refuse(404, `There is no ${method} ${path} at this gateway.`);
  if (method !== "POST") return refuse(405, `${path} takes POST.`);
  return answerRequest(trial, state, wire, { url, headers, incoming, outgoing, signal: closingOf(outgoing) });
}

function headersOf({ headers }: IncomingMessage): Headers {
  const read = new Headers();
  for (const [name, value] of Object.entries(headers)) read.set(name, String(value));
  return read;
}

function closingOf(outgoing: ServerResponse): AbortSignal {
  const closing = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) closing.abort(new Error("The agent closed its connection."));
  });
  return closing.signal;
}

const card = (id: string): object => ({ id, object: "model", type: "model", display_name: id, created: 0, owned_by: "forge" });

function tokenIn(headers: Headers): string {
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  return headers.get("x-api-key") ?? bearer ?? headers.get("x-goog-api-key") ?? "";
}
