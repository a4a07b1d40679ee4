import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { createBenchPorts } from "../../../assembly/create-bench-ports.ts";
import { replayParts } from "../../../assembly/registry.ts";
import { bench } from "../../../evals/bench/bench.ts";
import type { TrialRecord } from "../../../evals/trial/trial-record.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { judgeRun } from "../../../traces/replay/corpus/judge-run.ts";
import { startModelServer, type ModelServer } from "../../servers/model-server.ts";
import { resolve } from "../agents/agent-fixture.ts";
import { fixtureRequest, fixtureTask, removeScratch, scratch } from "../bench-fixture.ts";

let server: ModelServer | undefined;
afterEach(() => server?.close());
afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 });

/** Calls the server's tool that the prompt's task is named after, then writes what the verifier wants, then ends. */
async function job(mcpArgs: readonly string[]) {
  server = await startModelServer({
    always: ({ body }) => {
      const said = (body["messages"] as { role: string }[]).filter(({ role }) => role === "assistant").length; // as the wire has it
      const tool = JSON.stringify(body["messages"]).includes("crash it") ? "die" : "say";
      const calls = [{ name: `mcp__docs__${tool}`, args: { text: "hello" } }, { name: "bash", args: { command: "echo done > out.txt" } }]; // prettier-ignore
      const next = calls[said];
      return next ? { calls: [next] } : { text: "Done." };
    },
  });
  const folder = await scratch();
  const script = join(folder, "server.mjs");
  await copyFile(join(import.meta.dirname, "../../harness/extensions/mcp-server.mjs"), script);
  const config = await resolve({
    model: { name: "local/scripted", baseUrl: server.url },
    tools: ["bash"],
    mcp: { docs: { command: process.execPath, args: [script, ...mcpArgs] } },
  });
  const crash = await fixtureTask({ name: "crash" });
  const tasks = [await fixtureTask({ name: "plain" }), { ...crash, instruction: `${crash.instruction} And crash it.` }];
  const request = await fixtureRequest(tasks, { configurations: [config], agent: "configured", sandbox: "local-unsafe" });
  const records = new Map<string, TrialRecord>();
  const ports = await createBenchPorts({});
  const result = await bench(request, ports, {
    retryMs: 1,
    onEvent: (event) => void (event.type === "trial.end" && records.set(event.record.task, event.record)),
  });
  return { result, records, folder: request.out ?? "", script };
}

it("an MCP server of a configuration serves each trial of a bench; its runs replay exactly without it, and one in which it crashed says so", async () => {
  const { result, records, folder, script } = await job([]);
  expect(result).toMatchObject({ status: "finished", recorded: 2, unscored: 0, configurations: [{ passed: 2 }] });
  await rm(script);
  const runs = await Promise.all(
    ["plain", "crash"].map(async (task) => {
      const run = join(folder, records.get(task)?.trace ?? "");
      const { events } = await loadTrace(run);
      const result = events.find(({ t, d }) => t === "tool.result" && String(d["name"]).startsWith("mcp__"));
      const notes = events.filter(({ t }) => t === "note").map(({ d }) => d["text"]);
      return { verdict: (await judgeRun(run, {}, replayParts({ trust: true }))).verdict, reply: result?.d["reply"], notes };
    }),
  );
  expect(runs).toMatchObject([
    { verdict: "exact", reply: { status: "ok" }, notes: [] },
    {
      verdict: "exact",
      reply: { status: "error", error: "server_failed" },
      notes: ['The MCP server "docs" ended during the run: it has ended.'],
    },
  ]);
  expect(JSON.stringify(runs[0]?.reply)).toContain("hello in ");
  // The agent could go on: the run is scored, and nothing is laid to its charge.
  expect(records.get("crash")).toMatchObject({ class: "passed", evidence: [{ kind: "run", says: "done" }, { kind: "reward" }] });
});

it("an MCP server that does not begin costs its trials their score, once each, with its own words", async () => {
  const { result, records } = await job(["refuse"]);
  expect(result).toMatchObject({ status: "finished", recorded: 2, unscored: 2, invalid: true });
  expect([...records.values()]).toMatchObject(
    ["plain", "crash"].map(() => ({
      class: "infra",
      attempt: 1,
      error: expect.stringMatching(
        /^The configuration's MCP server "docs" cannot be used: .*no such key.* Correct mcp\.docs of the configuration\.$/,
      ),
    })),
  );
});
