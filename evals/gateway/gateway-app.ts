import { Hono } from "hono";
import { estimateUsage } from "../../harness/models/prices/estimate-usage.ts";
import { answerRequest } from "./answer-request.ts";
import type { GatewayTrial, TrialState } from "./gateway-trial.ts";
import { readBody } from "./read-body.ts";
import { gatewayWires } from "./wires/gateway-wires.ts";
import { messagesWire } from "./wires/messages-wire.ts";

/** Answers the trial that a token belongs to; undefined for a token of none, or of one that has ended. */
export type FindTrial = (token: string) => { readonly trial: GatewayTrial; readonly state: TrialState } | undefined;

/**
 * The gateway as a function from request to response. A trial is told by its token, in the header in which its agent sends a key, or as `/t/TOKEN/…` before
 * the path. Whatever is asked, the answer is one in the provider's form.
 */
export function createGatewayApp(find: FindTrial): Hono {
  const app = new Hono();
  app.all("*", async (c) => {
    const raw = c.req.raw;
    const { pathname } = new URL(raw.url);
    const [, fromPath, below] = /^\/t\/([^/]+)(\/.*)?$/.exec(pathname) ?? [];
    const path = `/v1${(below ?? pathname).replace(/^\/v1(?=\/|$)/, "").replace(/\/+$/, "")}`;
    const wire = Object.values(gatewayWires).find((each) => each.path === path);
    const form =
      wire ?? (raw.headers.has("anthropic-version") || raw.headers.has("x-api-key") ? messagesWire : gatewayWires["openai-chat"]);
    const refuse = (status: 401 | 404 | 405 | 426, words: string): Response => Response.json(form.error(status, words), { status });
    if (raw.headers.get("upgrade")) return refuse(426, "The gateway takes no WebSockets; use POST.");
    if (raw.method === "HEAD") return new Response(null);
    const known = find(fromPath ?? tokenIn(raw.headers));
    if (!known) return refuse(401, "This key is not the token of a trial that runs.");
    const { trial, state } = known;
    if (raw.method === "GET" && path === "/v1/models")
      return c.json({ object: "list", data: [card(trial.model)], has_more: false, first_id: trial.model, last_id: trial.model });
    if (raw.method === "GET" && path === `/v1/models/${trial.model}`) return c.json(card(trial.model));
    if (raw.method === "POST" && path === `${messagesWire.path}/count_tokens`) {
      const body = await readBody(raw);
      if ("why" in body) return Response.json(messagesWire.error(body.status, body.why), { status: body.status });
      const { input } = estimateUsage(messagesWire.read(body.json).request, { role: "assistant", content: [] });
      return c.json({ input_tokens: input });
    }
    if (!wire) return refuse(404, `There is no ${raw.method} ${path} at this gateway.`);
    return raw.method === "POST" ? answerRequest(trial, state, wire, raw) : refuse(405, `${path} takes POST.`);
  });
  return app;
}

const card = (id: string): object => ({ id, object: "model", type: "model", display_name: id, created: 0, owned_by: "forge" });

function tokenIn(headers: Headers): string {
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  return headers.get("x-api-key") ?? bearer ?? headers.get("x-goog-api-key") ?? "";
}
