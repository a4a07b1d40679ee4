import type { HttpBindings } from "@hono/node-server";
import { Hono, type Context } from "hono";
import type { Clock } from "../../../contract/ports.ts";
import { sha256 } from "../../../hash/sha256.ts";
import { messageOf } from "../../../errors.ts";
import { ModelError } from "../../../contract/model-error.ts";
import { deltasOf } from "../deltas.ts";
import { simulatedUsage } from "../meter.ts";
import { anthropicWire } from "./anthropic-wire.ts";
import { modelCard, noModel, seedNamed } from "./model-name.ts";
import { openAiWire } from "./openai-wire.ts";
import { createPlayer, type Served } from "./play-request.ts";
import { brokenOff, streamed } from "./stream-response.ts";
import { BadRequest, type Said, type Wire } from "./wire.ts";

export interface SimAppOptions extends Served {
  /** Replies take the time that they say they take. Left out: they come at once. */
  readonly clock?: Pick<Clock, "sleep">;
}

/** Served by node it has the connection; asked in the same process it has none. */
interface Env {
  Bindings: Partial<HttpBindings>;
}

const mostBytes = 32 * 2 ** 20;
/** Of a request that could not be read. */
const noId = "0".repeat(24);
/** Requests whose tries are remembered. */
const mostTries = 10_000;

/** Simulated models behind both wire formats, as a function from request to response. Throws nothing: what is wrong is answered as the provider would. */
export function createSimApp(o: SimAppOptions): Hono<Env> {
  const app = new Hono<Env>();
  const play = createPlayer(o);
  const tries = new Map<string, number>();

  /** How often this very request came before: what a service that fails for a while counts. */
  const attemptOf = (id: string): number => {
    const before = tries.get(id) ?? 0;
    tries.delete(id);
    tries.set(id, before + 1);
    const oldest = tries.keys().next().value;
    if (tries.size > mostTries && oldest !== undefined) tries.delete(oldest);
    return before;
  };

  async function answer(c: Context<Env>, wire: Wire): Promise<Response> {
    const signal = c.req.raw.signal;
    let id = noId;
    let model: string | undefined;
    try {
      const sent = await readText(c);
      id = sha256(wire.path, sent).slice(0, 24);
      const asked = wire.read(json(sent));
      model = asked.model;
      const played = await play(asked, { attempt: () => attemptOf(id), signal });
      const { reply } = played;
      const said: Said = { asked, reply, id, deltas: (text) => deltasOf(text, id) };
      const headers = { [wire.requestIdHeader]: `req_${id}` };
      const stream = asked.stream;
      if (played.brokenOff)
        return brokenOff(stream ? wire.stream(said) : [JSON.stringify(wire.whole(said))], { stream, headers, hangUp: hangUpOf(c) });
      if (!asked.stream) {
        await o.clock?.sleep(reply.activeMs, signal);
        return c.json(wire.whole(said), 200, headers);
      }
      return streamed(wire.stream(said), { headers, clock: o.clock, activeMs: reply.activeMs, signal });
    } catch (error) {
      const known =
        error instanceof BadRequest || error instanceof ModelError ? error : new ModelError("server", messageOf(error), { status: 500 });
      return refuse(wire, known, { id, model });
    }
  }

  for (const wire of [openAiWire, anthropicWire]) {
    app.post(wire.path, (c) => answer(c, wire));
    app.all(wire.path, (c) => refuse(wire, new BadRequest({ type: "method", method: c.req.method, path: c.req.path })));
  }
  app.post(`${anthropicWire.path}/count_tokens`, async (c) => {
    try {
      const sent: unknown = json(await readText(c));
      const { request } = anthropicWire.read(typeof sent === "object" ? { max_tokens: 1, ...sent } : sent);
      return c.json({ input_tokens: simulatedUsage(request, [], { pace: "quick" }).input });
    } catch (error) {
      if (error instanceof BadRequest) return refuse(anthropicWire, error);
      throw error;
    }
  });
  app.get("/v1/models", (c) =>
    c.json({ object: "list", data: [1, 2, 3, 4, 5].map(modelCard), has_more: false, first_id: "sim-1", last_id: "sim-5" }),
  );
  app.get("/v1/models/:id", (c) => {
    const seed = seedNamed(c.req.param("id"));
    return seed === undefined ? refuse(wireOf(c), noModel(c.req.param("id"))) : c.json(modelCard(seed));
  });
  app.notFound((c) => refuse(wireOf(c), new BadRequest({ type: "path", method: c.req.method, path: c.req.path })));
  return app;
}

function hangUpOf(c: Context<Env>): (() => void) | undefined {
  const socket = c.env.outgoing?.socket;
  return socket ? () => socket.destroySoon() : undefined;
}

const wireOf = (c: Context): Wire =>
  c.req.header("anthropic-version") !== undefined || c.req.path.startsWith(anthropicWire.path) ? anthropicWire : openAiWire;

function refuse(
  wire: Wire,
  error: BadRequest | ModelError,
  { id = noId, model }: { readonly id?: string; readonly model?: string | undefined } = {},
): Response {
  const requestId = `req_${id}`;
  const { status, body, headers } = wire.refusal(error, { requestId, model });
  return Response.json(body, { status, headers: { [wire.requestIdHeader]: requestId, ...headers } });
}

async function readText(c: Context): Promise<string> {
  if (Number(c.req.header("content-length") ?? 0) > mostBytes) throw new BadRequest({ type: "size", mostBytes });
  const text = await c.req.text();
  if (text.length > mostBytes) throw new BadRequest({ type: "size", mostBytes });
  return text;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadRequest({ type: "json", why: messageOf(error) });
  }
}
