import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { replayParts } from "../../../assembly/registry.ts";
import type { AssistantPart, Message } from "../../../harness/contract/messages.ts";
import type { ResolvedConfig } from "../../../harness/contract/resolved-config.ts";
import { micros, systemClock } from "../../../harness/system-ports.ts";
import { observeRun, type ObservedRun } from "../../../traces/observed/observe-run.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import { loadRecording } from "../../../traces/replay/verify/load-recording.ts";
import { judgeRun } from "../../../traces/replay/corpus/judge-run.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const config: ResolvedConfig = {
  name: "other",
  hash: "0".repeat(64),
  model: { name: "sim/perfect", protocol: "native", maxOutputTokens: 10 },
  system: [],
  tools: [],
  middleware: [],
  limits: {},
  agent: { name: "command", wire: "openai-chat", command: "x", files: {}, env: {}, args: [] },
};
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const said = (text: string, ...ids: string[]): Message => ({
  role: "assistant",
  content: [{ type: "text", text }, ...ids.map((id): AssistantPart => ({ type: "call", id, name: "bash", args: { command: id } }))],
});
const result = (callId: string): Message => ({
  role: "tool",
  callId,
  name: "bash",
  status: "ok",
  content: [{ type: "text", text: `of ${callId}` }],
});
const bash = { name: "bash", description: "", parameters: {} };

/** Records what `act` lets be seen; answers the events, and what a replay says. */
async function seen(
  act: (
    run: ObservedRun,
    turn: (messages: Message[], reply?: Message, o?: { key?: string; system?: string; tools?: boolean }) => void,
  ) => void,
) {
  const folder = await mkdtemp(join(tmpdir(), "forge-observed-"));
  folders.push(folder);
  const trace = recordTrace(folder, { clock: systemClock, micros, sync: false });
  const model = { provider: "sim", name: "perfect", protocol: "native", priceTable: null } as const;
  const run = observeRun({ config, task: "do it", seed: 7, model, meta: {} }, { sink: trace });
  act(run, (messages, reply = said("ok"), { key, system = "be good", tools = true } = {}) => {
    const place = run.request({
      request: { system: [{ name: "system 1", text: system }], messages, tools: tools ? [bash] : [], params: { maxOutputTokens: 10 } },
      observed: { sha256: JSON.stringify(messages), sinceMs: 30, ...(key === undefined ? {} : { lane: key }) },
    });
    const calls = reply.content.flatMap((part) => (part.type === "call" ? [{ id: part.id, name: part.name, args: part.args }] : []));
    run.replied(place, {
      message: reply as Extract<Message, { role: "assistant" }>, // `said` makes no other
      calls,
      usage: { input: 10, output: 1, cached: 0 },
      stop: calls.length > 0 ? "calls" : "end",
      costUsd: 0.01,
      activeMs: 5,
      observed: {},
    });
  });
  const ended = run.end({ type: "done" });
  trace.seal(null);
  const { events } = await loadTrace(folder);
  return {
    events,
    ended,
    answer: await judgeRun(folder, {}, replayParts({ trust: true })),
    told: events.map(({ t, lane }) => `${lane} ${t}`),
  };
}

describe("a run that is seen from outside", () => {
  it("has calls from its replies and results from the requests that follow, each message once, and replays exactly", async () => {
    const { told, events, ended, answer } = await seen((_, turn) => {
      turn([user("do it")], said("a", "one", "two"));
      turn([user("do it"), said("a", "one", "two"), result("one"), result("two")]);
    });
    expect(told).toEqual([
      "main run.start",
      "main model.request",
      "main model.response",
      "main/1.1 tool.call",
      "main/1.2 tool.call",
      "main/1.1 tool.result",
      "main/1.2 tool.result",
      "main model.request",
      "main model.response",
      "main run.end",
    ]);
    expect(events[7]?.d).toMatchObject({ keep: 1, add: [{ ref: "main#2" }, { ref: "main/1.1#1" }, { ref: "main/1.2#1" }] });
    expect(ended).toEqual({
      outcome: { type: "done" },
      answer: "ok",
      spent: { turns: 2, input: 20, output: 2, cached: 0, costUsd: 0.02, activeMs: 40 },
    });
    expect(answer).toMatchObject({ verdict: "exact", detail: { equal: 10, events: 10 } });
  });

  it("has a lane for a subagent that its client names, for one that begins otherwise, and for a call without tools", async () => {
    const { told, ended, answer } = await seen((_, turn) => {
      turn([user("do it")]);
      turn([user("look")], undefined, { key: "agent-1" });
      turn([user("do it"), said("ok"), user("go on")]);
      turn([user("look"), said("ok"), user("more")], undefined, { key: "agent-1" });
      turn([user("find")], undefined, { system: "you are another" });
      turn([user("a title, please")], undefined, { tools: false });
    });
    const lanes = told.filter((line) => line.endsWith("model.request")).map((line) => line.split(" ")[0]);
    expect(lanes).toEqual(["main", "main/sub0", "main", "main/sub0", "main/sub1", "main/sub2"]);
    expect(told.filter((line) => line.endsWith("agent.spawn"))).toHaveLength(3);
    expect(ended.spent).toMatchObject({ turns: 2, input: 60 });
    expect(answer.verdict).toBe("exact");
  });

  it("takes a conversation that begins anew with the same prompt and tools for a compaction", async () => {
    const { told, answer } = await seen((_, turn) => {
      turn([user("do it")]);
      turn([user("This session is being continued from: do it")]);
    });
    expect(told).toContain("main context.compact");
    expect(told.filter((line) => line === "main model.request")).toHaveLength(2);
    expect(answer.verdict).toBe("exact");
  });

  it("counts an equal request after a failure as its next try, and another one not", async () => {
    const { events, answer } = await seen((run, turn) => {
      const ask = (sha256: string) =>
        run.request({
          request: { system: [], messages: [user("do it")], tools: [bash], params: { maxOutputTokens: 1 } },
          observed: { sha256 },
        });
      run.failed(ask("a"), { kind: "server", message: "no", activeMs: 1 });
      run.failed(ask("a"), { kind: "server", message: "no", activeMs: 1 });
      run.failed(ask("b"), { kind: "server", message: "no", activeMs: 1 });
      turn([user("do it")]);
    });
    const tries = events.filter(({ t }) => t === "model.attempt").map(({ d }) => d["attempt"]);
    expect(tries).toEqual([0, 1, 0]);
    expect(answer.verdict).toBe("exact");
  });

  it("that was recorded otherwise than its requests say has a first place where it differs", async () => {
    const { answer } = await seen((run, turn) => {
      turn([user("do it")], said("a", "one"));
      run.limit({ limit: "turns", used: 1, allowed: 1 });
    });
    expect(answer.verdict).toBe("exact");
    const folder = await mkdtemp(join(tmpdir(), "forge-observed-"));
    folders.push(folder);
    const trace = recordTrace(folder, { clock: systemClock, micros, sync: false });
    const model = { provider: "sim", name: "perfect", protocol: "native", priceTable: null } as const;
    const run = observeRun(
      { config, task: "do it", model, meta: {} },
      {
        sink: { ...trace, emit: (event) => trace.emit(event.t === "run.end" ? { ...event, d: { ...event.d, answer: "another" } } : event) },
      },
    );
    run.end({ type: "done" });
    trace.seal(null);
    await expect(loadRecording(folder)).rejects.toThrow("is another agent's: Forge's own prompts, tools and middleware are no part of it");
    expect(await judgeRun(folder, {}, replayParts({ trust: true }))).toMatchObject({
      verdict: "diverged",
      text: expect.stringContaining("run.end main#1 differs"),
    });
  });
});
