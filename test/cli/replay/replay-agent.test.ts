import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { checkAgent } from "../../../cli/agents/check-agent.ts";
import { dryReplay } from "../../../cli/replay/dry-replay.ts";
import type { ToolsFlags } from "../../../cli/replay/options.ts";
import { replayTools } from "../../../cli/replay/replay-tools.ts";
import { importRuns } from "../../../cli/traces/share/import-runs.ts";
import type { ConfigFile } from "../../../harness/config/schema.ts";
import { removeScratch, scratch } from "../../evals/bench-fixture.ts";
import { scripted, tryAgents, type AgentTrial } from "../../evals/agents/agent-fixture.ts";
import { said } from "../said.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 240_000 }); // two runs of an agent on a machine that may be busy

const task = join(import.meta.dirname, "../../../tasks/suites/demo/greet");

const recordings = new Map<string, Promise<AgentTrial[]>>();
/** A trial, the same for each who asks for one of this configuration. */
async function recorded(config: ConfigFile): Promise<AgentTrial> {
  const key = JSON.stringify(config);
  const trying = recordings.get(key) ?? tryAgents([config]);
  recordings.set(key, trying);
  const [trial] = await trying;
  if (!trial) throw new Error("no trial");
  return trial;
}

let checking: Promise<{ code: number; out: string }> | undefined;
/** What `forge agents check` records: a whole trial and one that a limit ended. */
async function checked(): Promise<{ whole: string; limited: string }> {
  const check = async () => {
    const out = join(await scratch(), "checked");
    const { code } = await said(async () => checkAgent(await fileOf(scripted), { sandbox: "local-unsafe", out, json: true }));
    return { code, out };
  };
  const { code, out } = await (checking ??= check());
  expect(code).toBe(0);
  const of = (name: string): string => join(out, "trials/greet", name, "1/attempt-1");
  return { whole: of("mine"), limited: of("mine-limited") };
}

/** A configuration as a file: what `--config` names. */
async function fileOf(config: ConfigFile): Promise<string> {
  const path = join(await scratch(), "mine.yaml");
  await writeFile(path, JSON.stringify(config));
  return path;
}

async function replayed(folder: string, flags: ToolsFlags = {}) {
  const { code, lines } = await said(() => replayTools([folder], { task, json: true, ...flags }));
  expect(lines).toHaveLength(1);
  return { code, line: lines[0] ?? {} };
}

/** An agent that asks `MODE` says how often; `crash`: it ends with exit code 3 after one. */
const asking = (mode: string): ConfigFile => ({
  agent: {
    command: `python3 - <<'END'
import json, os, sys, urllib.request
def ask(words):
    body = json.dumps({"model": os.environ["FORGE_MODEL"], "messages": [{"role": "user", "content": words}]}).encode()
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})
    return urllib.request.urlopen(request).read()
ask("Write a shell script greet.sh, one")
if os.environ["MODE"] == "crash":
    sys.exit("something broke")
if os.environ["MODE"] != "early":
    ask("Write a shell script greet.sh, one")
if os.environ["MODE"] == "extra":
    ask("Write a shell script greet.sh, one")
END`,
    wire: "openai-chat",
  },
  env: { MODE: mode },
});

describe("forge replay tools, of a run of another agent", () => {
  it("runs the agent again on the recorded replies, exact to the workspace and the verdict", async () => {
    const { code, line } = await replayed((await checked()).whole);
    expect(line).toMatchObject({
      verdict: "exact",
      class: "exact",
      requests: { recorded: 4, asked: 4 },
      firstDifference: null,
      changed: [],
      workspace: true,
      verifier: { recorded: 1, again: 1 },
    });
    expect(code).toBe(0);
  });

  it("names the first request that a changed AGENTS.md makes different, with a diff, and ends there", async () => {
    const folder = await scratch();
    const withRules = async (rules: string): Promise<ConfigFile> => {
      await writeFile(join(folder, "rules.md"), rules);
      return { ...scripted, files: { ...scripted.files, "AGENTS.md": join(folder, "rules.md") } };
    };
    const trial = await recorded(await withRules("Rule number one.\n"));
    const config = await fileOf(await withRules("Rule number two.\n"));
    const { code, line } = await replayed(trial.folder, { config });
    expect(line).toMatchObject({
      verdict: "diverged",
      class: "differs",
      requests: { recorded: 4, asked: 0 },
      firstDifference: { number: 1, at: "main#1", lane: "main", turn: 1, part: "system text 1" },
      changed: ["agent.files.AGENTS.md"],
    });
    expect((line["firstDifference"] as { diff: string }).diff).toMatch(/^-Rule number one\.$[^]*^\+Rule number two\.$/m);
    expect(code).toBe(1);
    const { out } = await said(() => replayTools([trial.folder], { task, config }));
    expect(out).toContain("differs: request 1 differs from the recorded main#1 in system text 1");
  });

  it.each([
    ["early", { class: "stopped early", notAsked: { turn: 2 }, requests: { recorded: 2, asked: 1 } }],
    ["extra", { class: "extra request", firstDifference: { type: "extra", number: 3 }, requests: { recorded: 2, asked: 2 } }],
    ["crash", { class: "crashed", what: expect.stringContaining("something broke") as unknown, requests: { recorded: 2, asked: 1 } }],
  ])("has a class of its own for an agent that ends otherwise: %s", async (mode, expected) => {
    const { folder } = await recorded(asking("twice"));
    const { code, line } = await replayed(folder, { config: await fileOf(asking(mode)) });
    expect(line).toMatchObject({ verdict: "diverged", ...expected });
    expect(code).toBe(1);
  });

  it("stops at the limit at which the recorded run stopped", async () => {
    const { limited } = await checked();
    expect(await replayed(limited)).toMatchObject({ code: 0, line: { class: "exact", requests: { recorded: 2, asked: 2 } } });
  });

  it("never calls the provider, and gives the agent the provider's own bytes and failures", async () => {
    const heard: string[] = [];
    const reply =
      'data: {"choices":[{"delta":{"content":"hé"}}]}\n\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    const server = createServer((request, response) => {
      request.resume();
      heard.push(request.url ?? "");
      if (heard.length === 1)
        response.writeHead(429, { "content-type": "application/json", "retry-after": "1" }).end('{"error":{"message":"slow down"}}');
      else response.writeHead(200, { "content-type": "text/event-stream" }).end(reply);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo; // it listens
    const agent = `python3 - <<'END'
import json, os, urllib.request, urllib.error
body = json.dumps({"model": os.environ["FORGE_MODEL"], "stream": True, "messages": [{"role": "user", "content": "hello"}]}).encode()
request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})
try:
    urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    open("failure", "w").write(f"{error.code} {error.headers['retry-after']}")
open("reply", "wb").write(urllib.request.urlopen(request).read())
END`;
    try {
      const [trial] = await tryAgents(
        [{ agent: { command: agent, wire: "openai-chat" }, model: { name: "local/some", baseUrl: `http://127.0.0.1:${port}/v1` } }],
        { sandbox: "local-unsafe" },
      );
      expect(heard).toHaveLength(2);
      const { line } = await replayed(trial?.folder ?? "", { sandbox: "local-unsafe" });
      expect(heard).toHaveLength(2);
      expect(line).toMatchObject({ class: "exact", requests: { recorded: 1, asked: 1 }, workspace: true });
    } finally {
      server.close();
    }
  });

  it("finds the task of what forge agents check recorded", async () => {
    const { whole } = await checked();
    expect(await said(() => replayTools([whole], {}))).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^✓ .*: 4 of 4 requests exact, \d byte for byte; the same workspace; the same verdict\n/) as unknown,
    });
  });

  it("cannot replay a run that was imported, and says so once", async () => {
    const store = await scratch();
    const session = join(store, "session.jsonl");
    const first = { type: "user", sessionId: "s1", timestamp: "2026-01-01T10:00:00Z", message: { role: "user", content: "Look." } };
    await writeFile(session, `${JSON.stringify(first)}\n`);
    const { lines } = await said(() => importRuns([session], { format: "claude-code", out: join(store, "runs"), json: true }));
    const run = String(lines[0]?.["run"]);
    const { code, line } = await replayed(run);
    expect(code).toBe(3);
    expect(line).toMatchObject({ verdict: "cannot", exitCode: 3, text: expect.stringContaining("so it cannot be replayed") as unknown });
    expect(line["text"]).not.toContain(run);
  });

  it("is no question of another configuration's middleware, which is refused for all such runs in one sentence", async () => {
    const { whole, limited } = await checked();
    const { code, out } = await said(() => dryReplay([whole, limited], { config: "bare" }));
    expect(code).toBe(3);
    expect(out).toContain("2 runs left out: The run is another agent's");
  });

  it("refuses a configuration without an agent, and an agent that there is not", async () => {
    const { whole: folder } = await checked();
    await expect(replayTools([folder], { task, config: "bare" })).rejects.toThrow("bare names no agent of its own");
    await expect(replayTools([folder], { task, agent: "claud-code" })).rejects.toThrow('--agent: there is no agent "claud-code"');
  });
});
