import { afterAll, afterEach } from "vitest";
import type { GatewayTrial } from "../../../evals/gateway/gateway-trial.ts";
import { startGateway, type Gateway } from "../../../evals/gateway/start-gateway.ts";
import type { Upstream } from "../../../evals/gateway/upstream.ts";
import type { AgentWireName } from "../../../harness/contract/resolved-config.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { systemClock } from "../../../harness/system-ports.ts";
import { observeRun } from "../../../traces/observed/observe-run.ts";
import { resolve, scripted } from "../agents/agent-fixture.ts";

/** What ends after the test that began it. */
export const started: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const end of started.splice(0)) await end();
});
let shared: Promise<Gateway> | undefined;
const gateway = (): Promise<Gateway> => (shared ??= startGateway());
afterAll(async () => (await shared)?.close());

export const identity = { provider: "test", name: "upstream-name", protocol: "native", priceTable: null } as const;
const speaks = (said: string): Upstream => ({
  type: "translate",
  identity,
  ask: async () => ({
    reply: {
      message: { role: "assistant", content: [{ type: "text", text: said }] },
      calls: [],
      usage: { input: 10, output: 2, cached: 0 },
      stop: "end",
      costUsd: null,
      activeMs: 1,
    },
  }),
});

/** A trial at the gateway: where to ask, and what was recorded. */
export async function trial(change: Partial<GatewayTrial> = {}) {
  const events: RunEvent[] = [];
  const notes: string[] = [];
  const token = `token-${Math.random().toString(36).slice(2)}`;
  const run = observeRun(
    { config: await resolve(scripted), task: "hello", model: identity, meta: {} },
    { sink: { emit: (event) => void events.push(event), flush: async () => undefined } },
  );
  let overruns = 0;
  const { port, open } = await gateway();
  const door = open(
    {
      model: "m",
      upstream: speaks("hi"),
      run,
      limits: {},
      clock: systemClock,
      note: (text) => void notes.push(text),
      overrun: () => void overruns++,
      ...change,
    },
    token,
  );
  started.push(() => door.close());
  const url = `http://127.0.0.1:${port}`;
  const ask = (wire: AgentWireName, o: { body?: object; headers?: Record<string, string>; path?: string } = {}) =>
    fetch(`${url}${o.path ?? paths[wire]}`, {
      method: "POST",
      headers: o.headers ?? { authorization: `Bearer ${token}` },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hello" }], input: "hello", max_tokens: 9, ...o.body }),
    });
  return { events, notes, token, url, port, run, ask, close: door.close, overruns: () => overruns };
}
const paths = {
  "openai-chat": "/v1/chat/completions",
  "anthropic-messages": "/v1/messages?beta=true",
  "openai-responses": "/v1/responses",
} as const;
