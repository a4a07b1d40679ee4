import { existsSync } from "node:fs";
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
import { agentSeconds, endByTest } from "../agent-time.ts";
import { benchPorts, fixtureConfig, fixtureRequest, fixtureTask, removeScratch, scratch } from "../bench-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 });

interface Measured {
  readonly result: JobResult;
  readonly records: TrialRecord[];
  readonly retries: string[];
  trace(record: TrialRecord): Promise<LoadedTrace>;
}

interface Ending {
  readonly tasks?: readonly string[];
  /** After how many milliseconds the agent's time is over, from this event of its run on; undefined: not by it. */
  readonly after?: (event: RunEvent) => number | undefined;
}

/**
 * Trials of one task or more, against a server that answers each request as `always` says. The agent's time is over when `over` is called, or as `after`
 * says.
 */
async function measure(
  always: (request: ReceivedRequest, over: () => void) => ScriptedReply,
  { tasks = ["write-out"], after = () => undefined }: Ending = {},
): Promise<Measured> {
  const { ports, over } = endByTest(await benchPorts(), after);
  const server = await startModelServer({ always: (request) => always(request, over) });
  const model = { name: "openai/scripted", protocol: "native" as const, maxOutputTokens: 100, baseUrl: server.url };
  const suite = await Promise.all(tasks.map((name) => fixtureTask({ name, agentSeconds })));
  const request = await fixtureRequest(suite, {
    agent: "configured",
    sandbox: "local-unsafe",
    configurations: [fixtureConfig("plain", { model })],
  });
  const records: TrialRecord[] = [];
  const retries: string[] = [];
  try {
    const result = await bench(request, ports, {
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

/** After a try that failed; where none is sent, because the account's requests are held back, a while after it was to be. */
const afterTry: Ending["after"] = ({ t }) => (t === "model.attempt" ? 0 : t === "model.request" ? 1_500 : undefined);

interface Outage {
  readonly name: string;
  readonly reply: ScriptedReply;
  readonly evidence: object;
  readonly after?: Ending["after"];
}
const outages: readonly Outage[] = [
  // A 503 would have the account's later requests held back, and how many of a trial's are sent then is a matter of the machine's speed.
  { name: "fails every try", reply: refusal(500), evidence: { failure: "server", status: 500 }, after: afterTry },
  {
    name: "is overloaded at every try",
    reply: refusal(503),
    evidence: { failure: expect.stringMatching(/^(overloaded|held)$/) as unknown },
    after: afterTry,
  },
  // The first attempt is refused; to the next ones nothing is sent any more.
  { name: "asks to wait for longer than there is time", reply: refusal(429, 30), evidence: { failure: "held", tries: 0 }, after: afterTry },
  { name: "never answers", reply: { silence: "hang" }, evidence: { failure: "silent", tries: 0 } },
  {
    name: "begins an answer and says no more",
    reply: { text: "This will not be finished.", hangAfterBytes: 200 },
    evidence: { failure: "silent", tries: 0 },
  },
];

// Each waits up to three times, and does little else.
describe("a trial whose time ran out is no failure of the agent's where its model's server", { concurrent: true }, () => {
  it.each(outages)("$name", async ({ reply, evidence, after }) => {
    const silent = (_request: ReceivedRequest, over: () => void): ScriptedReply => (setTimeout(over, 500), reply);
    const { result, records, retries } = await (after ? measure(() => reply, { after }) : measure(silent));
    expect(retries).toEqual(["infra", "infra", "infra"]);
    expect(records).toMatchObject([{ class: "infra", passed: null, score: null, outcome: { type: "limit", limit: "deadline" } }]);
    expect(records.map(provider)).toEqual([expect.objectContaining({ kind: "provider", ...evidence })]);
    expect(result).toMatchObject({ invalid: true, unscored: 1 });
  });

  it("answered before and then fell silent for longer than all its answers took: the work done is not counted either", async () => {
    let began = 0;
    const { records, trace } = await measure((request, over) => {
      if (acted(request) === 0) return ((began = Date.now()), act("echo done > out.txt"));
      setTimeout(over, 500 + 3 * (Date.now() - began)); // longer than the first answer took, however busy this machine is
      return { silence: "hang" };
    });
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
    const { records, trace } = await measure((_, over) => ((asked += 1) % 6 === 0 ? (over(), { silence: "hang" }) : failure));
    const [record] = records;
    if (!record) throw new Error("no record");
    expect(provider(record)).toMatchObject({ failure: "server", status: 500, tries: 5, silentMs: expect.any(Number) });
    expect(await replayTrace(await trace(record), { assemble: async () => [] })).toMatchObject({ exact: true });
  });

  it("had asked another trial for so long a wait that nothing of this one was sent", async () => {
    const { records, trace } = await measure(() => refusal(429, 3600), { tasks: ["first", "second"], after: afterTry });
    expect(records.map(({ class: kind }) => kind)).toEqual(["infra", "infra"]);
    const held = records.find((record) => (provider(record) as { failure: string }).failure === "held");
    if (!held) throw new Error("none was held back");
    expect(await replayTrace(await trace(held), { assemble: async () => [] })).toMatchObject({ exact: true });
  });
});

describe("a trial whose time ran out is scored where", { concurrent: true }, () => {
  it("its model was slow, but answering", async () => {
    const calls = Array.from({ length: 60 }, (_, i) => ({ name: "bash", args: { command: `echo ${i}` } }));
    const { records, retries, trace } = await measure((_, over) => (setTimeout(over, 1_000), { calls, chunkBytes: 200, chunkEveryMs: 50 }));
    expect(retries).toEqual([]);
    expect(records).toMatchObject([{ class: "agent", score: 0, outcome: { type: "limit", limit: "deadline" } }]);
    const [record] = records;
    const events = record ? (await trace(record)).events : [];
    expect(events.filter(({ t }) => t === "model.attempt").map(({ d }) => d["stage"])).toEqual(["answering"]);
  });

  it("its model took no longer for the answer that was cut off than for those before", async () => {
    const { records } = await measure((request, over) => {
      if (acted(request) === 2) over();
      return { calls: [{ name: "bash", args: { command: "true" } }], afterMs: 500 };
    });
    expect(records).toMatchObject([{ class: "agent", score: 0 }]);
    expect(records.map(provider)).toEqual([undefined]);
  });

  it("a command of the agent's was running, whatever the server did before", async () => {
    let asked = 0;
    const running = join(await scratch(), "running");
    const { records } = await measure((_, over) => {
      if ((asked += 1) === 1) return failure;
      void vi.waitUntil(() => existsSync(running), { timeout: 100_000 }).then(over);
      return act(`echo done > out.txt; touch ${running}; sleep 600`);
    });
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
