import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Model } from "../../../harness/contract/ports.ts";
import { textOf } from "../../../harness/contract/messages.ts";
import { createModel } from "../../../harness/models/create-model.ts";
import { createPolicy } from "../../../harness/policy/policy.ts";
import { createFixtureSandbox } from "../../../harness/fixtures/fixture-sandbox.ts";
import { bash } from "../../../harness/tools/shell/bash.ts";
import { createTools } from "../../../harness/tools/registry.ts";
import { runFixture } from "../../../testing.ts";
import { type HostileKind, hostileKinds, hostileReply, type Wire } from "../../servers/hostile-reply.ts";
import { type ModelServer, startModelServer } from "../../servers/model-server.ts";
import { clock } from "./talk.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({});
});
afterAll(() => server.close());

const quick = {
  ...clock,
  sleep: async (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error))),
};

function modelOver(wire: Wire): Promise<Model> {
  const name = wire === "anthropic" ? "anthropic/m" : "local/m";
  const baseUrl = wire === "anthropic" ? server.origin : server.url;
  return createModel(
    { name, protocol: wire === "text" ? "text" : "native", maxOutputTokens: 1000, baseUrl },
    { API_KEY: "k" },
    { clock: quick },
  );
}

/** A run whose first answer is hostile and whose next ones are not, through the real wire, loop, registry, recorder and replay. */
async function runAfter(kind: HostileKind, wire: Wire, seed: number) {
  const sandbox = createFixtureSandbox({ exec: () => "listed" });
  const tools = createTools({
    tools: [bash()],
    sandbox,
    policy: createPolicy({ mode: "bypass", confined: true }),
    user: { ask: async () => undefined },
    clock,
  });
  let served = hostileKinds[kind] === "fault" ? -Infinity : 0;
  const raw = hostileReply(kind, wire, seed);
  server.answerAll(() => (served++ <= 0 ? { raw, chunkBytes: 1024 ** 2 } : { text: "All is finished." }));
  return runFixture({ script: await modelOver(wire), tools, limits: { turns: 10 } });
}

const wires = ["openai", "anthropic", "text"] as const;
const kinds = Object.keys(hostileKinds) as HostileKind[];
const seeds = [1];

describe.each(wires)("a hostile or broken reply over the wire %s", (wire) => {
  test.each(kinds)("%s: the run ends by itself, is recorded whole and replays exactly", { timeout: 300_000 }, async (kind) => {
    for (const seed of seeds) {
      const run = await runAfter(kind, wire, seed);
      const { outcome } = run.result;
      expect(outcome, `seed ${seed}: ${JSON.stringify(outcome).slice(0, 500)}`).toMatchObject(
        hostileKinds[kind] === "fault" ? { type: "error", kind: "infra" } : { type: "done" },
      );
      expect(await run.replay(), `seed ${seed}`).toMatchObject({ exact: true });
      if (hostileKinds[kind] !== "told") continue;
      const results = run.events.filter(({ t }) => t === "tool.result").map(({ d }) => d["reply"] as { status: string; content: [] });
      expect(results.some(({ status, content }) => status === "error" && textOf(content) !== "") || wire === "text", `seed ${seed}`).toBe(
        true,
      );
    }
  });
});
