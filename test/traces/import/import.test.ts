import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { ForgeError } from "../../../harness/errors.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { runFixture } from "../../../testing.ts";
import { atifOfRun } from "../../../traces/export/atif/atif-of-run.ts";
import { trajectorySchema } from "../../../traces/export/atif/trajectory.ts";
import { openExport } from "../../../traces/export/exported-run.ts";
import { readerOf } from "../../../traces/import/readers.ts";
import { writeSession, type WrittenSession } from "../../../traces/import/write/write-session.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { turnsOf } from "../../../traces/read/turns.ts";
import { loadRecording } from "../../../traces/replay/verify/load-recording.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";
import { exported } from "../export/exported.ts";
import { generatedRun, optionsOf } from "../generated-run.ts";
import { draws } from "../../needs.ts";

const root = mkdtempSync(join(tmpdir(), "forge-import-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

function place(files: Record<string, string | Uint8Array>): string {
  const folder = join(root, `place-${made++}`);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

type Imported = WrittenSession & { readonly folder: string; readonly name: string };
async function importAll(at: string, format?: string): Promise<Imported[]> {
  const reader = await readerOf(at, format);
  const all: Imported[] = [];
  for await (const session of reader.read(at)) {
    if (session instanceof ForgeError) throw session;
    const folder = join(root, `run-${made++}`);
    const written = await writeSession(session, { folder, sha256: "0".repeat(64), redact: (text) => text, sync: false });
    await verifyTrace(folder).catch((error: unknown) => {
      throw new Error("an imported trace is not whole", { cause: error });
    });
    all.push({ ...written, folder, name: session.name });
  }
  return all;
}
const eventsOf = async (folder: string): Promise<readonly RunEvent[]> => (await loadTrace(folder)).events;
const of = (events: readonly RunEvent[], t: string): RunEvent["d"][] => events.filter((event) => event.t === t).map(({ d }) => d);
const jsonl = (records: readonly unknown[]): string => records.map((record) => (typeof record === "string" ? record : JSON.stringify(record))).join("\n"); // prettier-ignore

const said = (type: "user" | "assistant", content: unknown, more: object = {}): object => ({
  type,
  sessionId: "s1",
  version: "2.1.0",
  timestamp: "2026-01-01T10:00:00.000Z",
  ...more,
  message: type === "user" ? { role: type, content } : { id: "m1", role: type, model: "claude-x", content, usage: { input_tokens: 3, cache_read_input_tokens: 4, cache_creation_input_tokens: 5, output_tokens: 6 }, ...(more as { message?: object }).message }, // prettier-ignore
});
const use = (id: string, name = "Bash", input: object = { command: "ls" }): object => ({ type: "tool_use", id, name, input });
const result = (id: string, content: unknown, more: object = {}): object => ({ type: "tool_result", tool_use_id: id, content, ...more });

describe("a session of Claude Code", () => {
  it("becomes turns: an answer that was written block by block is one, with its results and its tokens once", async () => {
    const session = jsonl([
      { type: "summary", summary: "Looking", leafUuid: "x" },
      said("user", "Look."),
      said("assistant", [{ type: "thinking", thinking: "Hm.", signature: "sig" }]),
      said("assistant", [{ type: "text", text: "I look." }, use("a")]),
      said("user", [result("a", "one")]),
      said("assistant", [use("b")]),
      said("user", [result("b", [{ type: "text", text: "two" }], { is_error: true })]),
      said("assistant", [{ type: "text", text: "Done." }], { message: { id: "m2", stop_reason: "end_turn" } }),
      { type: "never-seen", data: { deep: [1] } },
      "{not json",
    ]);
    const [run] = await importAll(place({ "-home-me/s1.jsonl": session }));
    expect(run).toMatchObject({ name: "s1", turns: 2, kept: { summary: 1, "never-seen": 1, "no JSON": 1 } });
    const events = await eventsOf(run?.folder ?? "");
    const [reply] = of(events, "model.response");
    expect(reply).toMatchObject({
      usage: { input: 12, output: 6, cached: 4, cacheWrite: 5 },
      stop: "calls",
      served: { model: "claude-x" },
    });
    expect(reply?.["message"]).toMatchObject({
      content: [{ type: "thinking", text: "Hm." }, { text: "I look." }, { id: "a" }, { id: "b" }],
    });
    expect(of(events, "tool.result").map((d) => d["reply"])).toMatchObject([
      { status: "ok", content: [{ text: "one" }] },
      { status: "error", content: [{ text: "two" }] },
    ]);
    expect(of(events, "note").map((d) => d["record"])).toMatchObject([{ leafUuid: "x" }, { data: { deep: [1] } }, { text: "{not json" }]);
    expect(of(events, "run.end")).toMatchObject([
      { outcome: { type: "done" }, answer: "Done.", spent: { turns: 2, input: 24, output: 12 } },
    ]);
  });

  it("has its subagents within the calls that began them, from files of their own or from lines of the session", async () => {
    const session = [
      said("user", "Ask two."),
      said("assistant", [use("t1", "Task"), use("t2", "Agent")]),
      said("user", "Count.", { isSidechain: true, agentId: "old" }),
      said("assistant", [{ type: "text", text: "Three." }], { isSidechain: true, agentId: "old", message: { id: "m8" } }),
      said("user", [result("t1", "Three.")], { agentId: "old" }),
      said("user", [result("t2", "Four.")], { toolUseResult: { agentId: "new" } }),
    ];
    const below = [said("user", "Count too."), said("assistant", [{ type: "text", text: "Four." }], { message: { id: "m9" } })];
    const [run, more] = await importAll(place({ "s1.jsonl": jsonl(session), "s1/subagents/agent-new.jsonl": jsonl(below) }));
    expect(more).toBeUndefined();
    const events = await eventsOf(run?.folder ?? "");
    expect(of(events, "agent.spawn")).toMatchObject([
      { lane: "main/1.1/sub0", input: { task: "Count." } },
      { lane: "main/1.2/sub0", input: { task: "Count too." } },
    ]);
    const answers = events.filter(({ t }) => t === "run.end").map(({ lane, d }) => [lane, d["answer"]]);
    expect(answers).toEqual([["main/1.1/sub0", "Three."], ["main/1.2/sub0", "Four."], ["main", ""]]); // prettier-ignore
  });

  it("begins its conversation anew where it was compacted", async () => {
    const session = jsonl([
      said("user", "First."),
      said("assistant", [{ type: "text", text: "One." }]),
      { type: "system", subtype: "compact_boundary", timestamp: "2026-01-01T10:01:00.000Z" },
      said("user", "Summary of all that.", { isCompactSummary: true }),
      said("assistant", [{ type: "text", text: "Two." }], { message: { id: "m2" } }),
    ]);
    const [run] = await importAll(place({ "s1.jsonl": session }));
    const events = await eventsOf(run?.folder ?? "");
    expect(of(events, "context.compact")).toEqual([{ turn: 1 }]);
    expect(of(events, "model.request").map((d) => [d["keep"], (d["add"] as []).length])).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });
});

const codex = (type: string, payload: object): object => ({ timestamp: "2026-01-02T03:04:05.000Z", type, payload });
const codexSession = jsonl([
  codex("session_meta", { id: "1", cli_version: "0.9", model_provider: "openai", instructions: "You are Codex." }),
  codex("turn_context", { model: "gpt-x" }),
  codex("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: "List." }] }),
  codex("response_item", { type: "reasoning", summary: [{ type: "summary_text", text: "I look." }], encrypted_content: "e" }),
  codex("event_msg", { type: "agent_reasoning", text: "I look." }),
  codex("response_item", { type: "function_call", name: "exec", arguments: '{"cmd":"ls"}', call_id: "a" }),
  codex("response_item", { type: "custom_tool_call", name: "apply_patch", input: "*** Begin", call_id: "b" }),
  codex("event_msg", { type: "token_count", info: { last_token_usage: { input_tokens: 9, cached_input_tokens: 4, output_tokens: 2 } } }),
  codex("response_item", { type: "function_call_output", call_id: "a", output: "a.txt" }),
  codex("response_item", { type: "custom_tool_call_output", call_id: "b", output: [{ type: "output_text", text: "Done!" }] }),
  codex("response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text: "a.txt" }] }),
  codex("not_known_yet", { some: "thing" }),
]);

describe("a session of Codex", () => {
  it("becomes turns: what the model said without anything between is one, with the tokens that were counted after it", async () => {
    const [run] = await importAll(place({ "2026/01/02/rollout-1.jsonl": codexSession }));
    expect(run).toMatchObject({ name: "rollout-1", turns: 2, kept: { not_known_yet: 1, "event_msg/agent_reasoning": 1 } });
    const events = await eventsOf(run?.folder ?? "");
    expect(of(events, "model.response")).toMatchObject([
      { usage: { input: 9, output: 2, cached: 4 }, calls: [{ name: "exec", args: { cmd: "ls" } }, { args: { input: "*** Begin" } }] },
      { message: { content: [{ text: "a.txt" }] }, stop: "end" },
    ]);
    expect(of(events, "tool.result").map((d) => d["reply"])).toMatchObject([
      { content: [{ text: "a.txt" }] },
      { content: [{ text: "Done!" }] },
    ]);
    expect(of(events, "run.start")).toMatchObject([{ input: { task: "List." }, model: { provider: "openai", name: "openai/gpt-x" } }]);
    expect(of(events, "model.request")[0]).toMatchObject({ system: [{ text: "You are Codex." }] });
  });
});

describe("an imported run", () => {
  const atif = async (): Promise<string> => {
    const { events } = await runFixture({
      task: "Look.",
      script: [{ calls: [{ name: "bash", args: {} }] }, { text: "ok" }],
      exec: () => "x",
    });
    return place({ "trajectory.json": JSON.stringify(atifOfRun(exported(events)).trajectory) });
  };

  it("is refused by replay with its format and exit code 3, and read by all else", async () => {
    const [run] = await importAll(await atif());
    const folder = run?.folder ?? "";
    await expect(loadRecording(folder)).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining("imported (atif)") });
    expect((await loadRecording(folder, { imported: true })).events[0]?.d["meta"]).toMatchObject({ imported: { replayable: false } });
    expect(turnsOf((await openExport(folder, () => (text) => text)).events)).toHaveLength(2 + 1);
  });

  it("says what it was exported from: turns, answers, results, tokens and subagents of any run", async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, async (options) => {
        const { events } = await runFixture(optionsOf(options));
        const { trajectory } = atifOfRun(exported(events));
        const [run] = await importAll(place({ "trajectory.json": JSON.stringify(trajectory) }));
        const back = await openExport(run?.folder ?? "", () => (text) => text);
        const replies = (all: readonly RunEvent[]): unknown[] => of(all, "model.response").map((d) => d["usage"]);
        expect(replies(back.events)).toEqual(replies(events));
        expect(of(back.events, "agent.spawn")).toHaveLength(of(events, "run.start").length - 1 + sideCallers(events));
        trajectorySchema.parse(JSON.parse(JSON.stringify(atifOfRun(back).trajectory)));
      }),
      { numRuns: draws(25) },
    );
  });

  it("has what one terminal showed for several calls at the last of them, and is done when its last calls were answered", async () => {
    const calls = ["a", "b"].map((id) => ({ tool_call_id: id, function_name: "type", arguments: { keystrokes: id } }));
    const step = { step_id: 1, source: "agent", message: "I type.", tool_calls: calls, observation: { results: [{ content: "$ a b" }] } };
    const trajectory = { schema_version: "ATIF-v1.8", agent: { name: "terminus-2", version: "2" }, steps: [step] };
    const [run] = await importAll(place({ "trajectory.json": JSON.stringify(trajectory) }));
    const events = await eventsOf(run?.folder ?? "");
    expect(of(events, "tool.result")).toMatchObject([{ callId: "b", reply: { content: [{ text: "$ a b" }] } }]);
    expect(of(events, "run.end")).toMatchObject([{ outcome: { type: "done" } }]);
    const open = { ...trajectory, steps: [{ ...step, observation: null }] };
    const [other] = await importAll(place({ "trajectory.json": JSON.stringify(open) }));
    expect(of(await eventsOf(other?.folder ?? ""), "run.end")).toMatchObject([{ outcome: { type: "cancelled" } }]);
  });

  it("of a format that is not told apart, or that nobody reads, is refused with a sentence", async () => {
    await expect(readerOf(place({ "a.txt": "hello" }), undefined)).rejects.toMatchObject({ exitCode: 3 });
    await expect(readerOf(join(root, "nowhere"), undefined)).rejects.toMatchObject({ exitCode: 3 });
    await expect(readerOf(root, "nonsense")).rejects.toMatchObject({ exitCode: 2 });
    const later = place({ "trajectory.json": JSON.stringify({ schema_version: "ATIF-v2.0", steps: [{}] }) });
    const why = { exitCode: 3, message: expect.stringContaining("is a trajectory of ATIF-v2.0, which this Forge does not know") };
    await expect(importAll(later, "atif")).rejects.toMatchObject(why);
    await expect(importAll(later)).rejects.toMatchObject(why);
    await expect(importAll(join(later, "trajectory.json"))).rejects.toMatchObject(why);
  });
});

describe("a folder of runs", () => {
  const steps = [{ step_id: 1, source: "user", message: "Greet." }, { step_id: 2, source: "agent", message: "Hello." }]; // prettier-ignore
  const kinds: Record<string, (at: string) => Record<string, string>> = {
    atif: (at) => ({
      [`${at}/trajectory.json`]: JSON.stringify({ schema_version: "ATIF-v1.7", agent: { name: "a", version: "1" }, steps }),
    }),
    harbor: (at) => ({ [`${at}/greet__abc/result.json`]: harborResult({ trial_name: at }) }),
    "terminal-bench": (at) => ({ [`${at}/hello.1-of-1/results.json`]: JSON.stringify({ task_id: "hello", trial_name: at }) }),
    "claude-code": (at) => ({ [`${at}/s.jsonl`]: jsonl([said("user", "Look."), said("assistant", [{ type: "text", text: "I look." }])]) }),
    codex: (at) => ({
      [`${at}/rollout-1.jsonl`]: jsonl([
        { type: "response_item", payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Look." }] } },
      ]),
    }),
    steps: (at) => ({ [`${at}/steps.json`]: JSON.stringify({ task: "greet", agent: "a", instruction: "Greet.", steps: [] }) }),
  };

  it.each(Object.entries(kinds))(
    "of %s is read however deep they lie in it, and links that lead back are not followed",
    async (format, at) => {
      const ways = ["a", "b/c/d/e/f/g/h/i/j", ...Array.from({ length: 3 }, (_, i) => `b/${"k/".repeat(60)}${i}`)];
      const folder = place(Object.assign({}, ...ways.map(at)) as Record<string, string>); // what the kinds make
      symlinkSync(folder, join(folder, "b", "back"));
      expect((await readerOf(folder, undefined)).format).toBe(format);
      expect(await importAll(folder)).toHaveLength(ways.length);
      expect(await importAll(folder, format)).toHaveLength(ways.length);
    },
  );

  it("that are trials has what lies in a trial's folder with that trial, such as a file of the same name that its agent left", async () => {
    const left = { "greet__abc/agent/files/result.json": "{no json", "greet__abc/agent/files/trial/result.json": harborResult() };
    const job = place({ "greet__abc/result.json": harborResult(), ...left });
    expect((await importAll(job)).map(({ name }) => name)).toEqual(["greet__abc"]);
  });

  it("with one that is too deep for a path to name says so, and the others are read", async () => {
    const folder = place(kinds["atif"]?.("a") ?? {});
    const name = "d".repeat(200);
    const made = spawnSync("sh", ["-c", `for i in $(seq 30); do mkdir ${name} && cd -P ${name} || exit 1; done`], { cwd: folder });
    expect(made.status).toBe(0);
    const found: unknown[] = [];
    for await (const one of (await readerOf(folder, "atif")).read(folder)) found.push(one instanceof ForgeError ? one.exitCode : one.name);
    expect(found).toEqual(["a", 3]);
    spawnSync("rm", ["-rf", folder]);
  });
});

/** Middleware that asked a model: an embedded trajectory too. */
const sideCallers = (events: readonly RunEvent[]): number => {
  const begun = new Set(events.filter(({ t }) => t === "run.start").map(({ lane }) => lane));
  return new Set(events.filter(({ t, lane }) => t === "model.request" && !begun.has(lane)).map(({ lane }) => lane)).size;
};

const harborResult = (more: object = {}): string =>
  JSON.stringify({ id: "1", task_name: "greet", trial_name: "greet__abc", started_at: "2026-01-01T10:00:00Z", agent_info: { name: "terminus-2", version: "2", model_info: { name: "m", provider: "p" } }, agent_result: { n_input_tokens: 10, n_output_tokens: 2, cost_usd: 0.5 }, verifier_result: { rewards: { reward: 1 } }, ...more }); // prettier-ignore

describe("a job of Harbor", () => {
  it("becomes a run a trial, with the trajectory where there is one, the verdict and how it ended", async () => {
    const steps = [{ step_id: 1, source: "user", message: "Greet." }, { step_id: 2, source: "agent", message: "Hello." }]; // prettier-ignore
    const trajectory = JSON.stringify({ schema_version: "ATIF-v1.5", agent: { name: "terminus-2", version: "2" }, steps });
    const job = place({
      "result.json": JSON.stringify({ n_total_trials: 2 }),
      "greet__abc/result.json": harborResult(),
      "greet__abc/agent/trajectory.json": trajectory,
      "greet__def/result.json": harborResult({
        trial_name: "greet__def",
        verifier_result: null,
        exception_info: { exception_type: "AgentTimeoutError" },
      }),
    });
    const runs = await importAll(job);
    expect(runs.map(({ name, turns, kept }) => [name, turns, kept])).toEqual([
      ["greet__abc", 1, {}],
      ["greet__def", 0, { "no trajectory": 1 }],
    ]);
    const events = await eventsOf(runs[0]?.folder ?? "");
    expect(of(events, "verifier.result")).toEqual([{ rewards: { reward: 1 }, passed: true }]);
    expect(of(events, "run.end")).toMatchObject([{ answer: "Hello.", spent: { input: 10, output: 2, costUsd: 0.5 } }]);
    expect(of(await eventsOf(runs[1]?.folder ?? ""), "run.end")).toMatchObject([{ outcome: { type: "limit", limit: "activeMs" } }]);
    // the job gives its sums only, and an export has them as well as the agent's own name
    const { agent, final_metrics } = atifOfRun(await openExport(runs[0]?.folder ?? "", () => (text) => text)).trajectory;
    expect([agent.name, agent.version]).toEqual(["terminus-2", "2"]);
    expect(final_metrics).toMatchObject({ total_prompt_tokens: 10, total_completion_tokens: 2, total_cost_usd: 0.5 });
  });
});

describe("a run of Terminal-Bench", () => {
  it("becomes a run a trial, with the episodes in their order and the terminal kept as it was", async () => {
    const runs = await importAll(
      place({
        "run_metadata.json": JSON.stringify({ agent_name: "terminus", model_name: "m" }),
        "results.json": JSON.stringify({ results: [] }),
        "hello/hello.1-of-1/results.json": JSON.stringify({
          task_id: "hello",
          trial_name: "hello.1-of-1",
          is_resolved: false,
          failure_mode: "agent_timeout",
          total_input_tokens: 7,
        }),
        ...Object.fromEntries(
          [0, 1, 10, 2].flatMap((n) => [
            [`hello/hello.1-of-1/agent-logs/episode-${n}/prompt.txt`, `terminal ${n}`],
            [`hello/hello.1-of-1/agent-logs/episode-${n}/response.txt`, `command ${n}`],
          ]),
        ),
        "hello/hello.1-of-1/panes/post-agent.txt": "$ ",
      }),
    );
    expect(runs).toMatchObject([{ name: "hello.1-of-1", turns: 4, kept: { "panes/post-agent.txt": 1, "results.json": 1 } }]);
    const events = await eventsOf(runs[0]?.folder ?? "");
    expect(of(events, "model.response").map((d) => JSON.stringify(d["message"]).match(/command \d+/)?.[0])).toEqual(
      [0, 1, 2, 10].map((n) => `command ${n}`),
    );
    expect(of(events, "verifier.result")).toEqual([{ rewards: { resolved: 0 }, passed: false }]);
    expect(of(events, "run.end")).toMatchObject([{ outcome: { type: "limit" }, spent: { input: 7, costUsd: null } }]);
  });
});

describe("whatever stands in a file of another agent", () => {
  const sources: Record<string, Record<string, string>> = {
    atif: { "trajectory.json": JSON.stringify({ schema_version: "ATIF-v1.7", agent: { name: "a", version: "1" }, steps: [{ step_id: 1, source: "user", message: "Do." }, { step_id: 2, source: "agent", message: [{ type: "text", text: "x" }], tool_calls: [{ tool_call_id: "c", function_name: "f", arguments: {} }], observation: { results: [{ source_call_id: "c", content: "y", subagent_trajectory_ref: [{ trajectory_id: "s" }] }] }, metrics: { prompt_tokens: 1 } }], subagent_trajectories: [{ trajectory_id: "s", steps: [{ source: "user", message: "Sub." }] }] }) }, // prettier-ignore
    harbor: { "result.json": harborResult(), "agent/trajectory.json": "{}" },
    "terminal-bench": { "results.json": JSON.stringify({ task_id: "t", trial_name: "t.1", is_resolved: true }), "agent-logs/episode-0/prompt.txt": "p", "agent-logs/episode-0/response.txt": "r" }, // prettier-ignore
    codex: { "rollout-1.jsonl": codexSession },
    steps: { "steps.json": JSON.stringify({ task: "greet", agent: "a", model: "m", instruction: "Greet.", config: { effort: "low" }, passed: false, reward: 0, verifier: "no greeting", ended: "done", steps: [{ i: 1, t: 1767225600, thought: "I look.", action: { tool: "bash", args: { command: "ls" } }, observation: "a.txt", exit_code: 0 }, { i: 2, source: "user", text: "And?" }, { i: 3, thought: "Done.", action: null }] }) }, // prettier-ignore
    "claude-code": { "s.jsonl": jsonl([said("user", "Look."), said("assistant", [use("a")]), said("user", [result("a", "one")]), said("assistant", "text")]) }, // prettier-ignore
  };

  it.each(Object.keys(sources))("the reader for %s answers with whole traces, or with a sentence", async (format) => {
    const files = sources[format] ?? {};
    let whole = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 2 }), async (mutations) => {
        const broken = Object.fromEntries(
          Object.entries(files).map(([path, text]) => [path, mutations.reduce((now, change) => change(now), text)]),
        );
        try {
          if ((await importAll(place(broken), format)).length > 0) whole++;
        } catch (error) {
          if (!(error instanceof ForgeError)) throw error;
          expect(error.message).toMatch(/\.$/);
        }
      }),
      { numRuns: draws(80) },
    );
    expect(whole).toBeGreaterThan(0);
  });

  it.each(Object.keys(sources))("the reader for %s goes on past a run that cannot be read", async (format) => {
    const files = sources[format] ?? {};
    const [main = ""] = Object.keys(files);
    const runs = ["a", "b", "c"].flatMap((run) => Object.entries(files).map(([path, text]) => [`${run}/${path}`, text] as const));
    const at = place(Object.fromEntries(runs));
    truncateSync(join(at, "b", main), 129 * 1024 * 1024); // larger than is read
    const told: (string | number)[] = [];
    for await (const session of (await readerOf(at, format)).read(at))
      told.push(session instanceof ForgeError ? session.exitCode : relative(at, session.file));
    expect(told).toEqual([`a/${main}`, 3, `c/${main}`]);
  });

  it.each(["claude-code", "codex"])("a session for %s is told by its beginning, however large it is", async (format) => {
    const [file = "", text = ""] = Object.entries(sources[format] ?? {})[0] ?? [];
    const at = place({ [file]: text });
    truncateSync(join(at, file), 129 * 1024 * 1024); // larger than is read
    for (const one of [at, join(at, file)]) expect((await readerOf(one, undefined)).format).toBe(format);
  });

  it.each(["atif", "claude-code", "steps"])(
    "the reader for %s refuses what is nested too deep, and leaves no half of a run",
    async (format) => {
      const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
      const text =
        format === "steps"
          ? `{"task":"t","agent":"a","instruction":"Do.","steps":[{"i":1,"action":{"tool":"f","args":{"a":${deep}}}}]}`
          : format === "atif"
            ? `{"schema_version":"ATIF-v1.7","agent":{"name":"a","version":"1"},"steps":[{"source":"agent","message":"","tool_calls":[{"tool_call_id":"c","function_name":"f","arguments":{"a":${deep}}}]}]}`
            : `${JSON.stringify(said("user", "x"))}\n{"type":"odd","deep":${deep}}`;
      const before = readdirSync(root).length;
      const file = { atif: "trajectory.json", steps: "steps.json" }[format] ?? "s.jsonl";
      await expect(importAll(place({ [file]: text }), format)).rejects.toMatchObject({
        exitCode: 4,
      });
      expect(readdirSync(root)).toHaveLength(before + 1);
    },
  );
});

/** Changes of a text: other JSON values at any place of it, bytes turned, cut, doubled. */
const mutation: fc.Arbitrary<(text: string) => string> = fc.oneof(
  fc.tuple(fc.nat(), fc.jsonValue({ maxDepth: 3 })).map(([at, value]) => (text: string) => {
    const places = [...text.matchAll(/"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d+(?:\.\d+)?|true|false|null|\{\}|\[\]/g)];
    const found = places[at % Math.max(1, places.length)];
    if (!found) return text;
    return text.slice(0, found.index) + JSON.stringify(value) + text.slice(found.index + found[0].length);
  }),
  fc.tuple(fc.nat(), fc.constantFrom("__proto__", "type", "content", "id", "\u0000")).map(([at, key]) => (text: string) => {
    const places = [...text.matchAll(/"[a-z_A-Z]+"(?=\s*:)/g)];
    const found = places[at % Math.max(1, places.length)];
    if (!found) return text;
    return text.slice(0, found.index) + JSON.stringify(key) + text.slice(found.index + found[0].length);
  }),
  fc.tuple(fc.nat(), fc.string({ unit: "binary", maxLength: 3 })).map(([at, piece]) => (text: string) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + piece + text.slice(from + 1);
  }),
  fc.nat().map((at) => (text: string) => text.slice(0, at % (text.length + 1))),
  fc.constant((text: string) => `${text}\n${text}`),
);
