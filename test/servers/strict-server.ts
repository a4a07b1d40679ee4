import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono, type Context } from "hono";
import type { ServedTask } from "../../harness/models/simulated/server/served-tasks.ts";
import { createSimApp } from "../../harness/models/simulated/server/sim-app.ts";
import type { ReceivedRequest, ScriptedStatus } from "./scripted-reply.ts";

/** A server that refuses what its provider documents to refuse; whatever it lets through, the simulated model answers. */
export interface StrictServer {
  /** With `/v1`, as the openai SDK wants it. */
  readonly url: string;
  /** Without, as the Anthropic SDK wants it. */
  readonly origin: string;
  readonly requests: ReceivedRequest[];
  /** The bodies of what was refused, in order. */
  readonly refusals: { readonly path: string; readonly status: number; readonly message: string }[];
  close(): Promise<void>;
}

/** Puts a request to the simulated model, on a wire that it speaks. */
export type AskModel = (request: Pick<ReceivedRequest, "method" | "path" | "body">) => Promise<Response>;

/**
 * @param refuse the provider's rules: undefined for a request that it would take
 * @param answer a wire that the simulated model does not speak: undefined for a request on one that it does. It gets the model to ask
 */
export async function startStrictServer(
  refuse: (request: ReceivedRequest) => ScriptedStatus | undefined,
  tasks: readonly ServedTask[],
  answer?: (request: ReceivedRequest, model: AskModel) => Promise<Response | undefined>,
): Promise<StrictServer> {
  const requests: ReceivedRequest[] = [];
  const refusals: StrictServer["refusals"] = [];
  const model = createSimApp({ tasks, profile: "perfect" });
  const app = new Hono();
  app.all("*", async (c: Context) => {
    const request = await received(c);
    requests.push(request);
    const refusal = request.method === "POST" ? refuse(request) : undefined;
    if (refusal !== undefined) {
      const { error } = refusal.body as { error: { message: string } }; // both providers' bodies have it
      refusals.push({ path: request.path, status: refusal.status, message: error.message });
      return Response.json(refusal.body, { status: refusal.status, ...(refusal.headers ? { headers: refusal.headers } : {}) });
    }
    const ask: AskModel = async ({ method, path, body }) => {
      // The simulated model goes by another name.
      const named = JSON.stringify({ ...body, model: "sim-7" });
      return model.fetch(new Request(new URL(path, c.req.url), { method, ...(method === "POST" ? { body: named } : {}) }));
    };
    return (await answer?.(request, ask)) ?? ask(request);
  });
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }) as Server; // made without options of its own, it is node:http's
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
  return { method: c.req.method, path: c.req.path, headers: c.req.header(), text, body };
}
