import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { importRuns } from "../../../cli/traces/share/import-runs.ts";
import { ForgeError } from "../../../harness/errors.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { runFixture } from "../../../testing.ts";
import { langsmithOfRun } from "../../../traces/export/langsmith/langsmith-of-run.ts";
import type { ImportedSession } from "../../../traces/import/imported-session.ts";
import { langsmithReader } from "../../../traces/import/formats/read-langsmith.ts";
import { writeSession } from "../../../traces/import/write/write-session.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";
import { said } from "../../cli/said.ts";
import { startLangSmithServer, type LangSmithServer } from "../../servers/langsmith-server.ts";
import { exported } from "../export/exported.ts";
import { generatedRun, optionsOf } from "../generated-run.ts";
import { draws } from "../../needs.ts";

const key = "lsv2_pt_only_for_this_test";
const root = mkdtempSync(join(tmpdir(), "forge-langsmith-in-"));
let server: LangSmithServer;
let folders = 0;
beforeEach(async () => {
  server = await startLangSmithServer(key);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function sessions(project = "mine"): Promise<ImportedSession[]> {
  const found: ImportedSession[] = [];
  for await (const one of langsmithReader({ url: server.url, key }).read(`langsmith:${project}`)) {
    if (one instanceof Error) throw one;
    found.push(one);
  }
  return found;
}
async function written(session: ImportedSession) {
  const folder = join(root, String(folders++));
  const result = await writeSession(session, { folder, sha256: "0".repeat(64), redact: (text) => text, sync: false });
  await verifyTrace(folder);
  return { ...result, trace: await loadTrace(folder) };
}
/** Runs of one trace, in order, each below the first one unless it says otherwise. */
function trace(project: string, id: number, runs: readonly JsonObject[]): void {
  const uuid = (n: number): string => `00000000-0000-4000-9000-${String(id * 1000 + n).padStart(12, "0")}`;
  runs.forEach((run, n) => {
    const time = `20260101T0000${String(n).padStart(2, "0")}000000Z`;
    const order = n === 0 ? `${time}${uuid(0)}` : `20260101T000000000000Z${uuid(0)}.${time}${uuid(n)}`;
    server.add(project, {
      id: uuid(n),
      trace_id: uuid(0),
      ...(n === 0 ? {} : { parent_run_id: uuid(0) }),
      dotted_order: order,
      start_time: `2026-01-01T00:00:${String(n).padStart(2, "0")}`,
      end_time: `2026-01-01T00:00:${String(n).padStart(2, "0")}.500000`,
      ...run,
    });
  });
}

describe("a LangSmith project", () => {
  it("of runs that were exported from here comes back turn by turn and call by call, whatever happened in them", async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, async (run) => {
        const { events } = await runFixture(optionsOf(run));
        server.runs.clear();
        for (const one of langsmithOfRun(exported(events), "mine").runs) server.add("mine", { ...one });
        const [session] = await sessions();
        if (!session) throw new Error("no trace came back");
        const back = await written(session);
        const count = (of: readonly { t: string; lane: string }[], t: string): number => of.filter((event) => event.t === t).length;
        expect(count(back.trace.events, "model.response")).toBe(count(events, "model.response"));
        expect(back.trace.events[0]?.d["input"]).toEqual(events[0]?.d["input"]);
      }),
      { numRuns: draws(40) },
    );
  });

  it("with messages of LangChain and of others is a conversation; types that nobody knows are kept and counted", async () => {
    const human = { lc: 1, type: "constructor", id: ["langchain", "schema", "HumanMessage"], kwargs: { content: "Weather?" } };
    const ask = {
      lc: 1,
      type: "constructor",
      id: ["x", "AIMessage"],
      kwargs: { content: "", tool_calls: [{ id: "c1", name: "look", args: { at: "Bonn" } }] },
    };
    trace("mine", 1, [
      { name: "LangGraph", run_type: "chain", inputs: { messages: [human] }, outputs: {}, extra: { metadata: { thread: "t" } }, feedback_stats: { correctness: { n: 1, avg: 1 } } },
      { name: "agent", run_type: "chain", inputs: {}, outputs: {} },
      { name: "docs", run_type: "retriever", inputs: { query: "q" }, outputs: { documents: [] } },
      { name: "guess", run_type: "oracle-of-2030", inputs: {}, outputs: {} },
      { name: "ChatOpenAI", run_type: "llm", inputs: { messages: [[{ role: "system", content: "Be brief." }, human]] }, outputs: { generations: [[{ message: ask }]] }, extra: { metadata: { ls_provider: "openai", ls_model_name: "small" } }, prompt_tokens: 7, completion_tokens: 3, total_cost: 0.5 },
      { name: "look", run_type: "tool", inputs: { at: "Bonn" }, outputs: { output: { type: "tool", content: "rain", tool_call_id: "c1", status: "success" } } },
      { name: "ChatOpenAI", run_type: "llm", inputs: { messages: [[human, ask, { type: "tool", content: "rain", tool_call_id: "c1" }]] }, outputs: { choices: [{ message: { role: "assistant", content: "Rain." } }] } },
    ]); // prettier-ignore
    const [session] = await sessions();
    expect(session).toMatchObject({
      model: "openai/small",
      agent: { name: "LangGraph" },
      verdict: { passed: true, rewards: { correctness: 1 } },
    });
    const { turns, kept, trace: back } = await written(session as ImportedSession); // there is one
    expect(turns).toBe(2);
    expect(kept).toEqual({ "chain run": 1, "retriever run": 1, "oracle-of-2030 run": 1 });
    const told = back.events.filter(({ t }) => ["model.response", "tool.call", "tool.result"].includes(t));
    expect(told.map(({ t, lane }) => [t, lane])).toEqual([
      ["model.response", "main"],
      ["tool.call", "main/1.1"],
      ["tool.result", "main/1.1"],
      ["model.response", "main"],
    ]);
    expect(told[0]?.d).toMatchObject({ usage: { input: 7, output: 3 }, costUsd: 0.5 });
    expect(back.events.at(-2)?.d).toMatchObject({ outcome: { type: "done" }, answer: "Rain." });
    expect(back.events[0]?.d["input"]).toEqual({ task: "Weather?" });
  });

  it("is read over all its pages, and each trace once", async () => {
    for (let id = 1; id <= 5; id++)
      trace("mine", id, [
        { name: "chat", run_type: "chain", inputs: { input: `Question ${id}` }, outputs: {} },
        { name: "m", run_type: "llm", inputs: { prompts: [`Question ${id}`] }, outputs: { generations: [[{ text: "Yes." }]] } },
      ]);
    server.pageSize = 2;
    vi.stubEnv("LANGSMITH_API_KEY", key);
    vi.stubEnv("LANGSMITH_ENDPOINT", server.url);
    const out = join(root, "pages");
    const first = await said(() => importRuns(["langsmith:mine"], { out, json: true }));
    expect(first.code).toBe(0);
    expect(first.lines.at(-1)).toMatchObject({ imported: 5, there: 0, failed: 0 });
    const again = await said(() => importRuns(["langsmith:mine"], { out, json: true }));
    expect(again.lines.at(-1)).toMatchObject({ imported: 0, there: 5, failed: 0 });
    expect(again.out).not.toContain("deprecated");
  });

  it("that is not there, or needs a key, is one sentence", async () => {
    vi.stubEnv("LANGSMITH_ENDPOINT", server.url);
    vi.stubEnv("LANGSMITH_API_KEY", "");
    const nobody = await said(() => importRuns(["langsmith:mine"], {}));
    expect(nobody).toMatchObject({ code: 2, out: expect.stringContaining("LANGSMITH_API_KEY is not set") as unknown });
    vi.stubEnv("LANGSMITH_API_KEY", key);
    const missing = await said(() => importRuns(["langsmith:nothing"], {}));
    expect(missing).toMatchObject({ code: 3, out: expect.stringContaining("Check the project's name") as unknown });
    vi.stubEnv("LANGSMITH_API_KEY", "lsv2_pt_a_wrong_one");
    const wrong = await said(() => importRuns(["langsmith:mine"], {}));
    expect(wrong).toMatchObject({ code: 3, out: expect.stringContaining("401") as unknown });
    expect(wrong.out).not.toContain("lsv2_pt_a_wrong_one");
  });

  it("with whatever in its runs is a trace that is whole, or one sentence", async () => {
    const members = fc.constantFrom("run_type", "inputs", "outputs", "error", "name", "extra", "start_time");
    const anyRuns = fc.array(fc.dictionary(members, fc.jsonValue()), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(anyRuns, fc.integer({ min: 1, max: 10_000 }), async (runs, id) => {
        server.runs.clear();
        trace("mine", id, runs as JsonObject[]); // JSON values
        for await (const one of langsmithReader({ url: server.url, key }).read("langsmith:mine"))
          if (one instanceof Error) expect(one).toBeInstanceOf(ForgeError);
          else expect((await written(one)).trace.seal).toBeDefined();
      }),
      { numRuns: draws(60) },
    );
  });
});
