import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createBenchPorts } from "../../../assembly/create-bench-ports.ts";
import { bench } from "../../../evals/bench/bench.ts";
import { toolSchemas } from "../../../harness/tools/tool-schemas.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { replayTrace } from "../../../traces/replay/replay-trace.ts";
import { needs } from "../../needs.ts";
import { startModelServer } from "../../servers/model-server.ts";
import type { ReceivedRequest } from "../../servers/scripted-reply.ts";
import { fixtureConfig, fixtureRequest, fixtureTask, removeScratch } from "../bench-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 });

const leaked = "ghp_LeakedLeakedLeakedLeakedLeakedLeaked";
const users = "sk-ant-api03-OfTheUserWhoRunsTheBench";

/** What the model was sent, the key that it can read there if it can read one. */
const keyIn = ({ body }: ReceivedRequest): string => /ghp_[A-Za-z0-9]+/.exec(JSON.stringify(body["messages"]))?.[0] ?? "nothing";
const bash = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });

describe.skipIf(needs("docker"))("a task in a container that is about a leaked key", () => {
  it("can be solved, while the user's own key is seen by nobody, and its trace replays exactly", async () => {
    const server = await startModelServer({
      replies: [bash("cat in.txt"), (request) => bash(`printf %s ${keyIn(request)} > out.txt; cat out.txt`), { text: "Found." }],
    });
    const model = { name: "openai/scripted", protocol: "native" as const, maxOutputTokens: 100, baseUrl: server.url };
    const check = `if [ "$(cat /app/out.txt)" = ${leaked} ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt`;
    const task = await fixtureTask({ files: { "in.txt": `${leaked}\n${users}\n` }, test: check });
    const request = await fixtureRequest([task], {
      agent: "configured",
      sandbox: "docker",
      configurations: [fixtureConfig("plain", { model, tools: toolSchemas(["bash"]) })],
    });
    const ports = await createBenchPorts({ OPENAI_API_KEY: "of-this-test", SOMETHING_ELSE: users });
    const result = await bench(request, ports, { retryMs: 1 }).finally(() => server.close());
    expect(result.configurations).toMatchObject([{ passed: 1, infraAttempts: 0 }]);
    expect(JSON.stringify(server.requests)).not.toContain(users);
    const folder = join(result.folder, "trials/write-out/plain/1/attempt-1");
    const trace = await readFile(join(folder, "trace.jsonl"), "utf8");
    expect(trace).toContain(leaked);
    expect(trace).not.toContain(users);
    expect(await replayTrace(await loadTrace(folder), { assemble: async () => [] })).toMatchObject({ exact: true, redacted: false });
  });
});
