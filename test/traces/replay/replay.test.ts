import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { replayParts } from "../../../assembly/registry.ts";
import { createMiddleware } from "../../../harness/config/middleware/create-middleware.ts";
import { middleware, type AnyMiddleware, type Middleware } from "../../../harness/contract/middleware.ts";
import { CannotError } from "../../../harness/errors.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { builtinMiddleware } from "../../../middleware/registry.ts";
import { runFixture, type FixtureOptions, type FixtureRun } from "../../../testing.ts";
import { loadTrace, type LoadedTrace } from "../../../traces/read/load-trace.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import { judgeRun } from "../../../traces/replay/corpus/judge-run.ts";
import { replayTrace, type ReplayVerdict } from "../../../traces/replay/replay-trace.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";
import { generatedRun, optionsOf } from "../generated-run.ts";
import { draws } from "../../needs.ts";

const root = mkdtempSync(join(tmpdir(), "forge-replay-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

/** Writes events as a trace of their own; `seal: false` leaves it as a killed process would. */
async function write(events: readonly RunEvent[], o: { seal: boolean } = { seal: true }): Promise<LoadedTrace> {
  const folder = join(root, `run-${made++}`);
  const trace = recordTrace(folder, { clock: { now: () => 0, sleep: async () => undefined }, micros: () => 0, sync: false });
  for (const event of events) trace.emit(event);
  if (o.seal) trace.seal(null);
  else trace.close();
  return loadTrace(folder);
}

/** The last digest of each lane. */
const digests = ({ lines }: LoadedTrace): Record<string, string> => Object.fromEntries(lines.map(({ lane, s }) => [lane, s]));

/** What a reader of a failed case needs to see. */
const shown = (events: readonly RunEvent[], verdict: unknown): string =>
  `${events.map(({ lane, n, t, d }) => `${lane}#${n} ${t}${t === "cancel" ? ` ${JSON.stringify(d)}` : ""}`).join("\n")}\n${JSON.stringify(verdict, null, 1)}`;

describe("any run", () => {
  it("is whole on disk, and its replay is the recording again, digest by digest; so is the replay of the replay", async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, async (generated) => {
        const options = optionsOf(generated);
        const run = await runFixture(options); // checks L0 before it answers
        const recorded = await write(run.events);
        const again: RunEvent[] = [];
        const assemble = async (): Promise<readonly AnyMiddleware[]> => options.middleware ?? [];
        const verdict = await replayTrace(recorded, { assemble, onEvent: (event) => void again.push(event) });
        const count = run.events.length;
        expect(verdict, shown(run.events, verdict)).toEqual({ exact: true, equal: count, events: count, redacted: false, cutOff: false });
        const replayed = await write(again);
        expect(digests(replayed)).toEqual(digests(recorded));
        expect(await replayTrace(replayed, { assemble })).toEqual(verdict);
      }),
      { numRuns: draws(30), endOnFailure: true },
    );
  }, 120_000);

  it("that was cut off after any of its events replays exactly up to there", async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, async (generated) => {
        const options = optionsOf(generated);
        const { events } = await runFixture(options);
        for (let kept = 1; kept < events.length; kept++) {
          const cut = await write(events.slice(0, kept), { seal: false });
          const verdict = await replayTrace(cut, { assemble: async () => options.middleware ?? [] });
          const why = shown(events.slice(0, kept), verdict);
          expect(verdict, why).toEqual({ exact: true, equal: kept, events: kept, redacted: false, cutOff: true });
        }
      }),
      { numRuns: 2, endOnFailure: true },
    );
  }, 120_000);
});

const none = z.strictObject({});
const one = (name: string, build: Omit<Middleware, "name" | "version">): AnyMiddleware =>
  middleware(name, "1", none, () => build).create({});
const call = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });
const plain = { exec: (command: string) => `ran ${command}`, script: [call("a"), call("b"), { text: "end" }] } satisfies FixtureOptions;

/** A run recorded with one middleware and replayed with another. */
async function replayedWith(recorded: AnyMiddleware[], other: AnyMiddleware[], o: Partial<FixtureOptions> = {}): Promise<ReplayVerdict> {
  const run: FixtureRun = await runFixture({ ...plain, ...o, middleware: recorded });
  expect((await run.replay()).exact).toBe(true);
  const verdict = await run.replay(other);
  expect(verdict.exact).toBe(false);
  expect(verdict.equal).toBeLessThan(verdict.events);
  return verdict;
}

describe("a replay with another middleware names the first difference, its class, its place and who made it", () => {
  const onModel = (change: (call: Parameters<NonNullable<Middleware["model"]>>[0]) => object, from = 0): AnyMiddleware =>
    one("tuner", { model: (given, next, run) => next(run.log.turns.length < from ? given : { ...given, ...change(given) }) });
  const noop = onModel(() => ({}), 9);

  it("params", async () => {
    const at = (temperature: number): AnyMiddleware => onModel((given) => ({ params: { ...given.params, temperature } }), 1);
    const { divergence } = await replayedWith([at(0)], [at(1)]);
    expect(divergence).toMatchObject({
      class: "params",
      at: "main#3",
      middleware: "tuner",
      what: "The request main#3 differs in its parameters.",
    });
    expect(divergence?.diff).toContain('-  "temperature": 0');
    expect(divergence?.diff).toContain('+  "temperature": 1');
  });

  it("system prompt", async () => {
    const say = (text: string): AnyMiddleware => onModel((given) => ({ system: [...given.system, { name: "tuner", text }] }));
    const { divergence } = await replayedWith([say("be\nkind")], [say("be\nquick")]);
    expect(divergence).toMatchObject({ class: "system", at: "main#1", middleware: "tuner" });
    expect(divergence?.diff).toMatch(/^-kind"/m);
    expect(divergence?.diff).toMatch(/^\+quick"/m);
  });

  it("tools", async () => {
    const offer = (name: string): AnyMiddleware =>
      onModel((given) => ({ tools: [...given.tools, { name, description: "", parameters: {} }] }));
    const { divergence } = await replayedWith([offer("hammer")], [offer("saw")]);
    expect(divergence).toMatchObject({ class: "tools", at: "main#1", middleware: "tuner" });
    expect(divergence?.diff).toMatch(/^-.*hammer/m);
  });

  it("one message", async () => {
    const rewrite = (text: string): AnyMiddleware =>
      one("editor", { tool: async (given, next) => ({ ...(await next(given)), content: [{ type: "text", text }] }) });
    const { divergence } = await replayedWith([rewrite("left")], [rewrite("right")]);
    expect(divergence).toMatchObject({
      class: "message",
      at: "main#3",
      middleware: "editor",
      what: "The request main#3 differs in message 2.",
    });
    expect(divergence?.diff).toMatch(/^\+.*right/m);
  });

  it("tool arguments", async () => {
    const send = (command: string): AnyMiddleware => one("router", { tool: (given, next) => next({ ...given, args: { command } }) });
    const { divergence } = await replayedWith([send("x")], [send("y")]);
    expect(divergence).toMatchObject({ class: "tool arguments", at: "main/1.1#0", middleware: "router" });
    expect(divergence?.diff).toMatch(/^\+.*"command": "y"/m);
  });

  it("control flow: a call that is refused now", async () => {
    const guard = one("guard", {
      async tool(_given, _next, run) {
        run.intervene("refused", "never");
        return { status: "denied", content: [], effects: { edited: [] } };
      },
    });
    const { divergence } = await replayedWith([], [guard]);
    expect(divergence).toMatchObject({ class: "intervention", at: "main/1.1/mw:guard#0", middleware: "guard" });
  });

  it("control flow: a run that goes on where the recorded one ended", async () => {
    const more = (times: number): AnyMiddleware =>
      middleware<Record<string, never>, { left: number }>("more", "1", none, () => ({
        state: () => ({ left: times }),
        async finish(run) {
          run.state = { left: run.state.left - 1 };
          return run.state.left >= 0 ? { message: "go on", why: "more" } : undefined;
        },
      })).create({});
    const script = { ...plain, script: () => ({ text: "end" }) };
    const longer = await replayedWith([more(1)], [more(2)], script);
    expect(longer.divergence).toMatchObject({ class: "intervention", at: "main/mw:more#1", middleware: "more" });
    const shorter = await replayedWith([more(2)], [more(1)], script);
    expect(shorter.divergence).toMatchObject({
      class: "control flow",
      middleware: "more",
      what: expect.stringContaining("the replay made run.end"),
    });
  });

  it("a middleware that is left out, also when nothing but its word is missing", async () => {
    const inject = one("nag", {
      async model(given, next, run) {
        if (run.log.turns.length === 1) run.inject("mind the tests", "second turn");
        return next(given);
      },
    });
    expect((await replayedWith([inject], [])).divergence).toMatchObject({ class: "message", at: "main#3", middleware: "nag" });
    const word = one("scribe", {
      async finish(run) {
        run.intervene("noted", "the end");
      },
    });
    expect((await replayedWith([word], [])).divergence).toMatchObject({
      class: "intervention",
      at: "main/mw:scribe#0",
      middleware: "scribe",
    });
    expect((await replayedWith([noop], [noop, word])).divergence).toMatchObject({ class: "intervention", middleware: "scribe" });
  });

  it("a question to a port with other arguments, of another port, or never asked before", async () => {
    const asks = (question: (run: Parameters<NonNullable<Middleware["start"]>>[0]) => unknown): AnyMiddleware =>
      one("asks", { start: async (run) => void (await question(run)) });
    const date = asks((run) => run.exec("date"));
    expect((await replayedWith([date], [asks((run) => run.exec("whoami"))])).divergence).toMatchObject({
      class: "intervention",
      at: "main/mw:asks#0",
      middleware: "asks",
      what: "At main/mw:asks#0 the recording returned exec.exec; the replay calls it with other arguments.",
    });
    expect((await replayedWith([date], [asks((run) => run.now())])).divergence?.what).toContain("the replay calls clock.now");
    expect((await replayedWith([], [date])).divergence?.what).toContain("no result for exec.exec in lane main/mw:asks");
    const swallowed = asks((run) => run.exec("whoami").catch(() => undefined));
    expect((await replayedWith([date], [swallowed])).divergence?.what).toContain("calls it with other arguments");
  });

  it("a recorded answer that nobody asked for", async () => {
    const reads = one("reads", { finish: async (run) => void run.now() });
    const { divergence } = await replayedWith([reads], []);
    expect(divergence).toMatchObject({
      at: "main/mw:reads#0",
      middleware: "reads",
      what: expect.stringContaining("the recording has port.read"),
    });
  });

  it("in a run that was cancelled, too", async () => {
    const cancelled = (): Partial<FixtureOptions> => {
      const controller = new AbortController();
      return {
        signal: controller.signal,
        tools: { bash: ({ args }) => (args["command"] === "b" && controller.abort(new Error("Ctrl-C")), "ok") },
      };
    };
    const asks = one("asks", { model: async (given, next, run) => (await run.exec("date"), next(given)) });
    const { divergence } = await replayedWith([], [asks], cancelled());
    expect(divergence).toMatchObject({ middleware: "asks", what: "The recording has no result for exec.exec in lane main/mw:asks." });
  });
});

describe("a trace", () => {
  it("is replayed, or its check alone requested, and the verdict names which it was", async () => {
    const { folder } = await write((await runFixture(plain)).events);
    const parts = replayParts({ trust: true });
    expect(await judgeRun(folder, {}, parts)).toMatchObject({ verdict: "exact", exitCode: 0 });
    expect(await judgeRun(folder, { verify: true }, parts)).toMatchObject({ verdict: "whole", exitCode: 0 });
  });

  it("that is not sealed is said to be so, or to be still written, in a replay and in a check", async () => {
    const { events } = await runFixture(plain);
    const parts = replayParts({ trust: true });
    const texts = async (folder: string) => [
      (await judgeRun(folder, {}, parts)).text,
      (await judgeRun(folder, { verify: true }, parts)).text,
    ];
    const { folder } = await write(events, { seal: false });
    expect(await texts(folder)).toEqual([expect.stringContaining("(not sealed)"), expect.stringMatching(/, not sealed$/)]);
    const trace = recordTrace(join(root, "written"), {
      clock: { now: () => 0, sleep: async () => undefined },
      micros: () => 0,
      sync: false,
    });
    for (const event of events) trace.emit(event);
    expect(await texts(join(root, "written"))).toEqual([
      expect.stringContaining("(still being written: more may follow)"),
      expect.stringMatching(/, still being written$/),
    ]);
    trace.close();
  });

  it("of one event is checked, and one of none is refused: its process was ended before", async () => {
    const { events } = await runFixture(plain);
    const { folder } = await write(events.slice(0, 1), { seal: false });
    expect(await verifyTrace(folder)).toMatchObject({ events: 1, requests: 0, sealed: false });
    writeFileSync(join(folder, "trace.jsonl"), "");
    const refused = { exitCode: 3, message: expect.stringContaining("has no whole event") as unknown };
    await expect(verifyTrace(folder)).rejects.toMatchObject(refused);
  });

  it("whose middleware is not to be had is not replayed, and the middleware is named", async () => {
    const { events } = await runFixture({ ...plain, middleware: [one("from-the-future", {})] });
    const trace = await write(events);
    const replay = replayTrace(trace, { assemble: (config) => createMiddleware(config, builtinMiddleware, { trust: false }) });
    await expect(replay).rejects.toThrow(CannotError);
    await expect(replay).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining('"from-the-future" version 1') });
  });

  it.each([
    [{ nosuch: 1 }, "nosuch"],
    [{ depth: "deep" }, "depth"],
    [{ cwd: null, depth: 0 }, "depth"],
  ])("whose middleware of ours no longer takes its options is not replayed, and the option is named: %j", async (given, option) => {
    const { events } = await runFixture({ ...plain, middleware: [one("local-context", {})] });
    const [start, ...rest] = events;
    const config = start?.d["config"] as JsonObject; // an object in every trace
    const [recorded] = config["middleware"] as JsonObject[]; // as of one middleware
    const middleware = [{ ...recorded, version: builtinMiddleware["local-context"]?.version ?? "", options: given, changed: given }];
    const trace = await write(start ? [{ ...start, d: { ...start.d, config: { ...config, middleware } } }, ...rest] : []);
    const replay = replayTrace(trace, { assemble: (now) => createMiddleware(now, builtinMiddleware, { trust: false }) });
    await expect(replay).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(
        new RegExp(`^The middleware "local-context" does not take the recorded options .*: .*${option}`),
      ) as unknown,
    });
  });

  it("with one changed byte is damaged and not replayed", async () => {
    const { events } = await runFixture(plain);
    const { folder } = await write(events);
    const path = join(folder, "trace.jsonl");
    const whole = readFileSync(path);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        writeFileSync(path, bytes);
        await expect(verifyTrace(folder)).rejects.toMatchObject({ exitCode: 4 });
      }),
      { numRuns: draws(60) },
    );
  });

  it("of which a response was added that the run never asked for is not exact", async () => {
    const { events } = await runFixture(plain);
    const response = events.findLast((event) => event.t === "model.response");
    if (!response) throw new Error("no response");
    const trace = await write([...events, { ...response, lane: "main/mw:ghost", n: 0 }]);
    const verdict = await replayTrace(trace, { assemble: async () => [] });
    expect(verdict).toMatchObject({ exact: false, divergence: { at: "main/mw:ghost#0", class: "control flow" } });
  });
});
