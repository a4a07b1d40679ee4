import { describe, expect, it } from "vitest";
import { z } from "zod";
import { middleware } from "../../../harness/contract/middleware.ts";
import { DeadlineError } from "../../../harness/contract/run-result.ts";
import { InfraError } from "../../../harness/errors.ts";
import { ModelError } from "../../../harness/contract/model-error.ts";
import { createFixtureSandbox, runFixture, type ScriptedReply } from "../../../testing.ts";

const bash = (command: string) => ({ name: "bash", args: { command } });
const text = (value: string) => [{ type: "text" as const, text: value }];
const none = z.strictObject({});

describe("the loop", () => {
  it("calls tools until the model stops, and the run replays exactly", async () => {
    const run = await runFixture({ script: [{ calls: [bash("ls")] }, { text: "done" }], exec: () => "a.txt" });
    expect(run.result).toMatchObject({ outcome: { type: "done" }, answer: "done", spent: { turns: 2 } });
    expect(run.requests[1]?.messages.map((m) => m.role)).toEqual(["user", "assistant", "tool"]);
    expect(await run.replay()).toMatchObject({ exact: true, equal: run.events.length });
  });

  it.each([
    ["turns", { turns: 2 }],
    ["tokens", { tokens: 20 }],
    ["costUsd", { costUsd: 0.02 }],
    ["activeMs", { activeMs: 20 }],
  ] as const)("ends at the limit of %s with its name", async (limit, limits) => {
    const turn: ScriptedReply = { calls: [bash("x")], usage: { input: 8, output: 2 }, costUsd: 0.01, activeMs: 10 };
    const run = await runFixture({ script: () => turn, limits });
    expect(run.result.outcome).toEqual({ type: "limit", limit });
    expect(run.result.spent.turns).toBe(2);
    expect(run.events.find((event) => event.t === "limit.hit")?.d).toMatchObject({ limit });
    expect((await run.replay()).exact).toBe(true);
  });

  it("adds a subagent's bill to its own but for the turns; a cost that is unknown makes the sum unknown and reaches no limit", async () => {
    const helped = middleware("helped", "1", none, () => ({
      async start(run) {
        if (run.lane === "main") await run.spawn({ task: "help" });
      },
    })).create({});
    const run = await runFixture({
      script: (_request, { lane }) => ({
        text: "end",
        usage: { input: 8, output: 2, cached: 4 },
        costUsd: lane === "main" ? 0.01 : null,
        activeMs: 10,
      }),
      middleware: [helped],
      limits: { costUsd: 0.5 },
    });
    expect(run.result.outcome).toEqual({ type: "done" });
    expect(run.result.spent).toEqual({ turns: 1, input: 16, output: 4, cached: 8, costUsd: null, activeMs: 20 });
  });

  it("retries what is retryable, records each failed try, and counts its time", async () => {
    const failures = [
      new ModelError("rate_limit", "slow down", { status: 429, retryAfterMs: 5 }),
      new ModelError("overloaded", "busy", { status: 529 }),
    ];
    const run = await runFixture({ script: [{ text: "ok", failures }] });
    expect(run.result.outcome).toEqual({ type: "done" });
    expect(run.events.filter((event) => event.t === "model.attempt").map((event) => event.d["status"])).toEqual([429, 529]);
    expect(run.events.filter((event) => event.t === "model.request")).toHaveLength(1);
    expect((await run.replay()).exact).toBe(true);
  });

  it.each([
    ["context", { type: "limit", limit: "context" }],
    ["auth", { type: "error", kind: "config", message: "no" }],
    ["quota", { type: "error", kind: "config", message: "no" }],
  ] as const)("names the outcome of a model error of kind %s", async (kind, outcome) => {
    const run = await runFixture({ script: [{ error: new ModelError(kind, "no") }] });
    expect(run.result.outcome).toEqual(outcome);
    expect((await run.replay()).exact).toBe(true);
  });

  it("ends with `refused` on a refusal", async () => {
    const run = await runFixture({ script: [{ text: "I will not.", stop: "refusal" }] });
    expect(run.result.outcome).toEqual({ type: "refused" });
  });

  it("goes on when a finish is refused, at most ten times", async () => {
    const never = middleware("never", "1", none, () => ({ finish: async () => ({ message: "not yet", why: "never" }) })).create({});
    const run = await runFixture({ script: () => ({ text: "done?" }), middleware: [never] });
    expect(run.result.outcome).toEqual({ type: "done" });
    expect(run.interventions.filter((one) => one.change === "resume")).toHaveLength(10);
    expect(run.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: "user", content: text("not yet") });
    expect((await run.replay()).exact).toBe(true);
  });

  it("calls an exception of a middleware a mistake of the configuration and names it", async () => {
    const bad = middleware("bad", "1", none, () => ({ start: async () => Promise.reject(new Error("boom")) })).create({});
    const run = await runFixture({ script: [{ text: "x" }], middleware: [bad] });
    expect(run.result.outcome).toMatchObject({
      type: "error",
      kind: "config",
      message: expect.stringContaining('"bad" threw in its start phase: boom'),
    });
    expect((await run.replay()).exact).toBe(true);
  });
});

describe("parallel tool calls", () => {
  const three = { calls: [bash("slow"), bash("middle"), bash("fast")] };
  const delays: Record<string, number> = { slow: 30, middle: 15, fast: 0 };
  const tools = (running: { now: number; most: number }) => ({
    bash: async ({ args }: { args: Record<string, unknown> }) => {
      running.most = Math.max(running.most, ++running.now);
      await new Promise((resolve) => setTimeout(resolve, delays[String(args["command"])]));
      running.now--;
      return String(args["command"]);
    },
  });

  it("overlap, and are answered in the order of the calls", async () => {
    const running = { now: 0, most: 0 };
    const { createFixtureTools } = await import("../../../testing.ts");
    const run = await runFixture({ script: [three, { text: "end" }], tools: createFixtureTools(tools(running), { readOnly: ["bash"] }) });
    expect(running.most).toBe(3);
    const answers = run.requests[1]?.messages.slice(2).map((m) => (m.content[0] as { text: string }).text);
    expect(answers).toEqual(["slow", "middle", "fast"]);
    expect((await run.replay()).exact).toBe(true);
  });

  it("show a middleware the same order whichever call is faster", async () => {
    const seen: string[] = [];
    const watch = middleware("watch", "1", none, () => ({
      async tool(call, next) {
        seen.push(`start ${String(call.args["command"])}`);
        const reply = await next(call);
        seen.push(`end ${String(call.args["command"])}`);
        return reply;
      },
    })).create({});
    const { createFixtureTools } = await import("../../../testing.ts");
    const readOnly = createFixtureTools(tools({ now: 0, most: 0 }), { readOnly: ["bash"] });
    await runFixture({ script: [three, { text: "end" }], tools: readOnly, middleware: [watch] });
    expect(seen).toEqual(["start slow", "start middle", "start fast", "end slow", "end middle", "end fast"]);
  });

  it("run one after the other where a tool may change something", async () => {
    const running = { now: 0, most: 0 };
    await runFixture({ script: [three, { text: "end" }], tools: tools(running) });
    expect(running.most).toBe(1);
  });
});

describe("middleware", () => {
  it("that changes something without saying so is an event all the same", async () => {
    const sly = middleware("sly", "1", none, () => ({
      model: async (call, next) => next({ ...call, params: { ...call.params, temperature: 0 } }),
      tool: async (call, next) => ({ ...(await next({ ...call, args: { command: "other" } })), status: "error" as const }),
    })).create({});
    const run = await runFixture({ script: [{ calls: [bash("x")] }, { text: "end" }], middleware: [sly] });
    expect(run.interventions.map((one) => one.change)).toEqual([
      "changed params of the call",
      "changed args of the call",
      "changed status of the reply",
      "changed params of the call",
    ]);
    expect((await run.replay()).exact).toBe(true);
  });

  it("that refuses a call is an event, and the call never reaches the registry", async () => {
    const guard = middleware("guard", "1", none, () => ({
      tool: async () => ({ status: "denied" as const, content: text("no"), effects: { edited: [] } }),
    })).create({});
    const run = await runFixture({ script: [{ calls: [bash("x")] }, { text: "end" }], middleware: [guard] });
    expect(run.events.filter((event) => event.t === "tool.call")).toHaveLength(0);
    expect(run.interventions).toMatchObject([{ name: "guard", change: "answered in place of the call" }]);
    expect((await run.replay()).exact).toBe(true);
  });

  it("injects before the next model call, after the tool results", async () => {
    const nag = middleware("nag", "1", none, () => ({
      async tool(call, next, run) {
        run.inject("mind the tests", "always");
        return next(call);
      },
      async model(call, next, run) {
        if (run.log.turns.length === 0) run.inject("begin", "first");
        return next(call);
      },
    })).create({});
    const run = await runFixture({ script: [{ calls: [bash("x"), bash("y")] }, { text: "end" }], middleware: [nag] });
    expect(run.requests[0]?.messages.map((m) => m.role)).toEqual(["user", "user"]);
    expect(run.requests[1]?.messages.map((m) => m.role)).toEqual(["user", "user", "assistant", "tool", "tool", "user", "user"]);
    expect((await run.replay()).exact).toBe(true);
  });

  it("asks its ports through the recording: clock, randomness, commands, files and the workdir come back on replay", async () => {
    const answers: unknown[] = [];
    const asks = middleware("asks", "1", none, () => ({
      async start(run) {
        answers.push(run.now(), run.random());
        const [a, b] = await Promise.all([run.exec("slow"), run.readFile("note.txt")]);
        await run.writeFile("out.txt", "x");
        answers.push(a.stdout, b, await run.readFile("missing"), run.workdir);
        return { system: `It is ${run.now()} and ${run.random()}` };
      },
    })).create({});
    const run = await runFixture({
      script: [{ text: "end" }],
      middleware: [asks],
      files: { "note.txt": "hello" },
      exec: (command) => `ran ${command}`,
    });
    const live = answers.splice(0);
    expect(live.slice(2)).toEqual(["ran slow", "hello", undefined, "/app"]);
    expect((await run.replay()).exact).toBe(true);
    expect(answers).toEqual(live);
  });

  it("keeps its state for one run, and a subagent has its own", async () => {
    const counted: number[] = [];
    const counter = middleware<Record<string, never>, { calls: number }>("counter", "1", none, () => ({
      state: () => ({ calls: 0 }),
      async tool(call, next, run) {
        run.state = { calls: run.state.calls + 1 };
        counted.push(run.state.calls);
        if (run.lane === "main") await run.spawn({ task: "help" });
        return next(call);
      },
    })).create({});
    const run = await runFixture({ script: [{ calls: [bash("x")] }, { text: "end" }], middleware: [counter] });
    expect(counted).toEqual([1, 1]);
    expect(run.events.map((event) => event.lane)).toContain("main/1.1/mw:counter/sub0/1.1");
    expect((await run.replay()).exact).toBe(true);
  });

  it("may leave a question that then fails: that ends neither the run nor the process", async () => {
    const left: unknown[] = [];
    const gone = (): Promise<never> => Promise.reject(new Error("The disk is gone."));
    const hasty = middleware("hasty", "1", none, () => ({
      async start(run) {
        if (run.lane !== "main") return;
        void run.spawn({ task: "help" });
        void run.readFile("x");
        void run.writeFile("x", "y");
      },
    })).create({});
    const note = (error: unknown): void => void left.push(error);
    process.on("unhandledRejection", note);
    const run = await runFixture({
      script: (_request, { lane }) => (lane === "main" ? { text: "end" } : { error: new ModelError("quota", "no more") }),
      middleware: [hasty],
      ports: { sandbox: { ...createFixtureSandbox({}), readFile: gone, writeFile: gone } },
    });
    expect(run.result.outcome).toEqual({ type: "done" });
    expect((await run.replay()).exact).toBe(true);
    process.off("unhandledRejection", note);
    expect(left).toEqual([]);
  });

  it("may answer without waiting for the call that it let go on; the run waits for it, and its failure ends nothing", async () => {
    const left: unknown[] = [];
    const note = (error: unknown): void => void left.push(error);
    const ahead = middleware("ahead", "1", none, () => ({
      async tool(call, next) {
        void next(call);
        return { status: "ok", content: text("not waited for"), effects: { edited: [] } };
      },
    })).create({});
    process.on("unhandledRejection", note);
    const script = [{ calls: [bash("x")] }, { text: "end" }];
    let ended = false;
    const slow = async (): Promise<string> => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      ended = true;
      return "came later";
    };
    const waited = await runFixture({ script, middleware: [ahead], tools: { bash: slow } });
    expect(waited.result.outcome).toEqual({ type: "done" });
    expect(ended).toBe(true);
    const failed = await runFixture({ script, middleware: [ahead], tools: { bash: () => Promise.reject(new InfraError("Gone.")) } });
    expect(failed.result.outcome).toEqual({ type: "done" });
    process.off("unhandledRejection", note);
    expect(left).toEqual([]);
  });
});

describe("an end from outside", () => {
  const slow = (abort: () => void) => ({
    bash: async (_call: unknown, { signal }: { signal: AbortSignal }) => {
      abort();
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
      return "";
    },
  });
  const turns: ScriptedReply[] = [{ calls: [bash("a")] }, { calls: [bash("b")] }, { text: "end" }];

  it("cancels in the middle of a tool, and the trace replays to the same place", async () => {
    const controller = new AbortController();
    const run = await runFixture({
      script: turns,
      signal: controller.signal,
      tools: slow(() => setTimeout(() => controller.abort(new Error("Ctrl-C")))),
    });
    expect(run.result.outcome).toEqual({ type: "cancelled", reason: "Ctrl-C" });
    expect(run.events.at(-2)).toMatchObject({ t: "cancel", d: { place: "tools", reason: "Ctrl-C" } });
    expect(await run.replay()).toMatchObject({ exact: true });
  });

  it("calls the end of its time a limit", async () => {
    const controller = new AbortController();
    const run = await runFixture({
      script: turns,
      signal: controller.signal,
      tools: slow(() => setTimeout(() => controller.abort(new DeadlineError("time is over")))),
    });
    expect(run.result.outcome).toEqual({ type: "limit", limit: "deadline" });
    expect((await run.replay()).exact).toBe(true);
  });

  it("cancels between two turns and before the first", async () => {
    const controller = new AbortController();
    const between = await runFixture({
      script: turns,
      signal: controller.signal,
      tools: { bash: () => (controller.abort(new Error("stop")), "ok") },
    });
    expect(between.events.at(-2)).toMatchObject({ t: "cancel", d: { place: "before model" } });
    expect((await between.replay()).exact).toBe(true);
    const before = await runFixture({ script: turns, signal: AbortSignal.abort(new Error("stop")) });
    expect(before.result.spent.turns).toBe(0);
    expect((await before.replay()).exact).toBe(true);
  });

  it("is the machinery's fault when a tool loses its sandbox", async () => {
    const tools = { bash: () => Promise.reject(new InfraError("The container is gone.")) };
    const run = await runFixture({ script: turns, tools });
    expect(run.result.outcome).toEqual({ type: "error", kind: "infra", message: "The container is gone." });
    expect((await run.replay()).exact).toBe(true);
  });
});

describe("redaction", () => {
  it("keeps secrets of model output out of the record, and the replay says that it happened", async () => {
    const secret = "sk-secret-value";
    const redact = (value: string): string => value.replaceAll(secret, "*".repeat(secret.length));
    const run = await runFixture({
      script: [{ text: `key ${secret}`, calls: [bash(`echo ${secret}`)] }, { text: "end" }],
      redact,
      exec: () => `got ${secret}`,
    });
    expect(JSON.stringify(run.events)).not.toContain(secret);
    expect(await run.replay()).toMatchObject({ exact: true, redacted: true });
  });
});
