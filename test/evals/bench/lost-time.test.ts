import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../evals/bench/bench.ts";
import type { JobResult } from "../../../evals/job/results/job-result.ts";
import type { TrialRecord } from "../../../evals/trial/trial-record.ts";
import { createLostCalls } from "../../../evals/trial/evidence/lost-calls.ts";
import type { EventType, RunEvent } from "../../../harness/events/schema.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { loadTrace, type LoadedTrace } from "../../../traces/read/load-trace.ts";
import { replayTrace } from "../../../traces/replay/replay-trace.ts";
import { startModelServer } from "../../servers/model-server.ts";
import type { ReceivedRequest, ScriptedReply } from "../../servers/scripted-reply.ts";
import { benchPorts, fixtureConfig, fixtureRequest, fixtureTask, removeScratch } from "../bench-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 });

interface Measured {
  readonly result: JobResult;
  readonly records: TrialRecord[];
  readonly retries: string[];
  trace(record: TrialRecord): Promise<LoadedTrace>;
}

/** Trials of one task or more whose agent has 2 s, against a server that answers each request as `always` says. */
async function measure(always: (request: ReceivedRequest) => ScriptedReply, tasks: readonly string[] = ["write-out"]): Promise<Measured> {
  const server = await startModelServer({ always });
  const model = { name: "openai/scripted", protocol: "native" as const, maxOutputTokens: 100, baseUrl: server.url };
  const suite = await Promise.all(tasks.map((name) => fixtureTask({ name, agentSeconds: 2 })));
  const request = await fixtureRequest(suite, {
    agent: "configured",
    sandbox: "local-unsafe",
    configurations: [fixtureConfig("plain", { model })],
  });
  const records: TrialRecord[] = [];
  const retries: string[] = [];
  try {
    const result = await bench(request, await benchPorts(), {
      retryMs: 1,
      onEvent(event) {
        if (event.type === "trial.end") records.push(event.record);
        if (event.type === "trial.retry") retries.push(event.class);
      },
    });
    return { result, records, retries, trace: ({ trace }) => loadTrace(join(result.folder, trace)) };
  } finally {
    await server.close();
  }
}

/** Commands of earlier answers that came back in this request. */
const acted = ({ body }: ReceivedRequest): number => (body["messages"] as { role: string }[]).filter(({ role }) => role === "tool").length;
const act = (command: string): ScriptedReply => ({ calls: [{ name: "bash", args: { command } }] });
const provider = ({ evidence = [] }: TrialRecord): unknown => evidence.find(({ kind }) => kind === "provider");

const refusal = (status: number, seconds?: number): ScriptedReply => ({
  status,
  headers: seconds === undefined ? {} : { "retry-after": String(seconds) },
  body: { error: { message: "oops" } },
});

/** A failure after which the next try comes at once. */
const failure: ScriptedReply = { ...refusal(500), headers: { "retry-after-ms": "1" } };

const outages: readonly (readonly [name: string, reply: ScriptedReply, evidence: object])[] = [
  // A 503 would have the account's later requests held back, and how many of a trial's are sent then is a matter of the machine's speed.
  ["fails every try", refusal(500), { failure: "server", status: 500 }],
  ["is overloaded at every try", refusal(503), { failure: expect.stringMatching(/^(overloaded|held)$/) }],
  // The first attempt is refused; to the next ones nothing is sent any more.
  ["asks to wait for longer than there is time", refusal(429, 30), { failure: "held", tries: 0 }],
  ["never answers", { silence: "hang" }, { failure: "silent", tries: 0 }],
  ["begins an answer and says no more", { text: "This will not be finished.", hangAfterBytes: 200 }, { failure: "silent", tries: 0 }],
];

// Each waits for an agent's 2 s to pass, up to three times, and does little else.
describe("a trial whose time ran out is no failure of the agent's where its model's server", { concurrent: true }, () => {
  it.each(outages)("%s", async (_, reply, seen) => {
    const { result, records, retries } = await measure(() => reply);
    expect(retries).toEqual(["infra", "infra", "infra"]);
    expect(records).toMatchObject([{ class: "infra", passed: null, score: null, outcome: { type: "limit", limit: "deadline" } }]);
    expect(records.map(provider)).toEqual([expect.objectContaining({ kind: "provider", ...seen })]);
    expect(result).toMatchObject({ invalid: true, unscored: 1 });
  });

  it("answered before and then fell silent for longer than all its answers took: the work done is not counted either", async () => {
    const { records, trace } = await measure((request) => (acted(request) === 0 ? act("echo done > out.txt") : { silence: "hang" }));
    const [record] = records;
    if (!record) throw new Error("no record");
    expect(record).toMatchObject({
      class: "infra",
      turns: 2,
      error: expect.stringMatching(/openai\/scripted had been asked .* sent nothing/),
    });
    const recorded = await trace(record);
    const attempts = recorded.events.filter(({ t }) => t === "model.attempt");
    expect(attempts.map(({ d }) => d)).toMatchObject([{ attempt: 0, kind: "cut", stage: "sent", silentMs: expect.any(Number) }]);
    expect(await replayTrace(recorded, { assemble: async () => [] })).toMatchObject({ exact: true });
  });

  it("had failed five tries and hung in the sixth, which replays as it was", async () => {
    let asked = 0;
    const { records, trace } = await measure(() => ((asked += 1) % 6 === 0 ? { silence: "hang" } : failure));
    const [record] = records;
    if (!record) throw new Error("no record");
    expect(provider(record)).toMatchObject({ failure: "server", status: 500, tries: 5, silentMs: expect.any(Number) });
    expect(await replayTrace(await trace(record), { assemble: async () => [] })).toMatchObject({ exact: true });
  });

  it("had asked another trial for so long a wait that nothing of this one was sent", async () => {
    const { records, trace } = await measure(() => refusal(429, 3600), ["first", "second"]);
    expect(records.map(({ class: kind }) => kind)).toEqual(["infra", "infra"]);
    const held = records.find((record) => (provider(record) as { failure: string }).failure === "held");
    if (!held) throw new Error("none was held back");
    expect(await replayTrace(await trace(held), { assemble: async () => [] })).toMatchObject({ exact: true });
  });
});

describe("a trial whose time ran out is scored where", { concurrent: true }, () => {
  it("its model was slow, but answering", async () => {
    const calls = Array.from({ length: 60 }, (_, i) => ({ name: "bash", args: { command: `echo ${i}` } }));
    const { records, retries, trace } = await measure(() => ({ calls, chunkBytes: 200, chunkEveryMs: 50 }));
    expect(retries).toEqual([]);
    expect(records).toMatchObject([{ class: "agent", score: 0, outcome: { type: "limit", limit: "deadline" } }]);
    const [record] = records;
    const events = record ? (await trace(record)).events : [];
    expect(events.filter(({ t }) => t === "model.attempt").map(({ d }) => d["stage"])).toEqual(["answering"]);
  });

  it("its model took no longer for the answer that was cut off than for those before", async () => {
    const { records } = await measure(() => ({ calls: [{ name: "bash", args: { command: "true" } }], afterMs: 800 }));
    expect(records).toMatchObject([{ class: "agent", score: 0 }]);
    expect(records.map(provider)).toEqual([undefined]);
  });

  it("a command of the agent's was running, whatever the server did before", async () => {
    let asked = 0;
    const { records } = await measure(() => ((asked += 1) === 1 ? failure : act("echo done > out.txt; sleep 60")));
    expect(records).toMatchObject([{ class: "passed", score: 1, outcome: { type: "limit", limit: "deadline" } }]);
  });
});

describe("what was under way at the end of the time", () => {
  const event = (t: EventType, lane: string, n: number, d: JsonObject = {}, cause: readonly string[] = []): RunEvent => ({
    t,
    lane,
    n,
    cause,
    d,
  });
  const silent = { attempt: 0, kind: "cut", message: "silent", stage: "sent", silentMs: 500, activeMs: 500 };
  /** A subagent's call that is silent, inside the first of the run's tool calls. */
  const hanging = [
    event("run.start", "main", 0),
    event("tool.call", "main/1.1", 0),
    event("agent.spawn", "main/1.1", 1, { lane: "main/1.1/sub0" }),
    event("model.request", "main/1.1/sub0", 0),
  ];
  const over = [
    event("model.attempt", "main/1.1/sub0", 1, silent, ["main/1.1/sub0#0"]),
    event("cancel", "main/1.1/sub0", 2),
    event("agent.join", "main/1.1", 2, { lane: "main/1.1/sub0" }),
    event("cancel", "main", 1),
  ];
  const lost = (events: readonly RunEvent[], limit: string) => {
    const calls = createLostCalls();
    for (const one of events) calls.add(one);
    return calls.atLimit(limit);
  };

  it("is the server's where a subagent waited for it, and the agent's where a command ran beside it", () => {
    expect(lost([...hanging, ...over], "deadline")).toMatchObject({ failure: "silent", silentMs: 500 });
    expect(lost([...hanging, event("tool.call", "main/1.2", 0), ...over], "deadline")).toBeUndefined();
  });

  it("counts for a limit of active time where only tries that failed made the run reach it", () => {
    const failed = { attempt: 0, kind: "timeout", message: "sent nothing for 600 s", activeMs: 600_000 };
    const run = [
      event("run.start", "main", 0),
      event("model.request", "main", 1),
      event("model.attempt", "main", 2, failed, ["main#1"]),
      event("model.response", "main", 3, { activeMs: 5_000 }, ["main#1"]),
    ];
    const hit = (used: number): RunEvent => event("limit.hit", "main", 4, { limit: "activeMs", used, allowed: 900_000 });
    expect(lost([...run, hit(905_000)], "activeMs")).toMatchObject({ failure: "timeout", tries: 1 });
    expect(lost([...run, hit(1_600_000)], "activeMs")).toBeUndefined();
  });
});
