import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { replayParts } from "../../../../assembly/registry.ts";
import { middleware, type AnyMiddleware, type Middleware, type Run } from "../../../../harness/contract/middleware.ts";
import type { ResolvedConfig } from "../../../../harness/contract/resolved-config.ts";
import { runFixture, type FixtureOptions, type FixtureRun } from "../../../../testing.ts";
import { loadTrace, type LoadedTrace } from "../../../../traces/read/load-trace.ts";
import { recordTrace } from "../../../../traces/record/record-trace.ts";
import { createBlastRadius } from "../../../../traces/replay/dry/blast-radius.ts";
import { dryRun, type DryRun } from "../../../../traces/replay/dry/dry-run.ts";
import { otherConfig } from "../../../../traces/replay/dry/other-config.ts";
import { replayTrace } from "../../../../traces/replay/replay-trace.ts";
import type { PhasePlace } from "../../../../traces/replay/timed-middleware.ts";
import { generatedRun, optionsOf } from "../../generated-run.ts";
import { draws } from "../../../needs.ts";

const root = mkdtempSync(join(tmpdir(), "forge-dry-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

async function write({ events }: FixtureRun, verdict?: boolean): Promise<LoadedTrace> {
  const folder = join(root, `run-${made++}`);
  const trace = recordTrace(folder, { clock: { now: () => 0, sleep: async () => undefined }, micros: () => 0, sync: false });
  for (const event of events) trace.emit(event);
  if (verdict !== undefined) trace.evidence("verifier.result", { rewards: null, passed: verdict });
  trace.seal(null);
  return loadTrace(folder);
}

const none = z.strictObject({});
const one = (name: string, build: Omit<Middleware, "name" | "version">): AnyMiddleware =>
  middleware(name, "1", none, () => build).create({});
const call = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });
const plain = {
  exec: (command: string) => `ran ${command}`,
  script: [call("a"), call("b"), call("a"), { text: "end" }],
} satisfies FixtureOptions;

/** The recorded configuration with other middlewares. */
function withMiddleware(
  trace: LoadedTrace,
  list: readonly AnyMiddleware[],
): { config: ResolvedConfig; middleware: readonly AnyMiddleware[] } {
  const config = trace.events[0]?.d["config"] as unknown as ResolvedConfig; // what `run.start` records
  return {
    config: { ...config, middleware: list.map(({ name, version }) => ({ name, version, options: {}, changed: {} })) },
    middleware: list,
  };
}
const dry = async (o: FixtureOptions, list: readonly AnyMiddleware[], verdict?: boolean): Promise<DryRun> => {
  const trace = await write(await runFixture(o), verdict);
  return dryRun(trace, withMiddleware(trace, list));
};

const guard = one("guard", {
  async tool(given, next, run) {
    if (given.args["command"] !== "a") return next(given);
    run.intervene("refused", "never a");
    return { status: "denied", content: [], effects: { edited: [] } };
  },
});

describe("another configuration, held against a recorded run", () => {
  it("that is the recorded one differs nowhere and has nothing to watch", async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, async (generated) => {
        const options = optionsOf(generated);
        const trace = await write(await runFixture(options));
        const verdict = await dryRun(trace, withMiddleware(trace, options.middleware ?? []));
        expect(verdict).toMatchObject({ divergence: undefined, notKnown: undefined, watched: [], triggers: [] });
      }),
      { numRuns: draws(15), endOnFailure: true },
    );
  });

  it("that names no model has that of each run, and none is held against a run of a reference solution", async () => {
    const configFor = otherConfig("bare", { cwd: root, ...replayParts({ trust: true }) });
    const { events } = await runFixture({ ...plain, model: { name: "scripted/other", temperature: 0.5 } });
    expect((await configFor(events)).config.model).toMatchObject({ name: "scripted/other", temperature: 0.5 });
    const solved = events.map((event) => (event.t === "run.start" ? { ...event, d: { ...event.d, meta: { agent: "oracle" } } } : event));
    await expect(configFor(solved)).rejects.toThrow("This is a run of oracle, which follows no configuration");
  });

  it("that adds a middleware differs exactly where that one would act first", async () => {
    const asksNothing = ["refuses", "injects", "resumes", "retries a call"] as const;
    await fc.assert(
      fc.asyncProperty(generatedRun, fc.constantFrom(...asksNothing), async (generated, habit) => {
        const trace = await write(await runFixture(optionsOf({ ...generated, does: [], cancelAfter: undefined, limits: { turns: 8 } })));
        const [added] = optionsOf({ ...generated, does: [habit], cancelAfter: undefined }).middleware ?? [];
        if (!added) throw new Error("no middleware");
        const { divergence, notKnown, triggers, error } = await dryRun(trace, withMiddleware(trace, [added]));
        expect([error, notKnown]).toEqual([undefined, undefined]);
        const main = triggers.filter(({ lane }) => !lane.includes("sub"));
        expect(divergence === undefined).toBe(triggers.length === 0);
        if (main.length === triggers.length && main[0]) expect(divergence?.turn).toBe(main[0].turn);
      }),
      { numRuns: draws(40), endOnFailure: true },
    );
  });

  it("with other parameters or prompts differs from the first request on, and its triggers stay sharp", async () => {
    const trace = await write(await runFixture(plain));
    const other = withMiddleware(trace, [guard]);
    const config = { ...other.config, system: [{ name: "identity", text: "You are another agent." }] };
    const verdict = await dryRun(trace, { ...other, config });
    expect(verdict.divergence).toMatchObject({ class: "system", turn: 1, at: "main#1", nearest: { at: "main#1", differs: ["system"] } });
    expect(verdict.triggers.map(({ turn, effect, change }) => ({ turn, effect, change }))).toEqual([
      { turn: 1, effect: "block", change: "refused" },
      { turn: 3, effect: "block", change: "refused" },
    ]);
    expect(verdict.triggers[0]).toMatchObject({ lane: "main/1.1", next: 'bash {"command":"b"}', already: false });
    const at = trace.lines[verdict.triggers[0]?.seq ?? -1];
    expect(at).toMatchObject({ t: "tool.call", lane: "main/1.1" });
  });

  it("sees each call as recorded, whatever another one of it would have done", async () => {
    const rewrites = one("rewrites", {
      tool: async (given, next) => ({ ...(await next({ ...given, args: { command: "c" } })), status: "error" }),
    });
    const seen: unknown[] = [];
    const looks = one("looks", {
      async tool(given, next) {
        const { status, content } = await next(given);
        seen.push([given.args["command"], status, content]);
        return { status, content, effects: { edited: [] } };
      },
    });
    const { triggers } = await dry(plain, [rewrites, looks, rewrites]);
    const recorded = ["a", "b", "a"].map((command) => [command, "ok", [{ type: "text", text: `ran ${command}` }]]);
    expect(seen).toEqual(expect.arrayContaining(recorded));
    expect(triggers.filter(({ middleware }) => middleware === "rewrites")[0]).toMatchObject({
      effect: "change",
      change: "changed args of the call, status of the reply",
      why: "not stated",
    });
  });

  it("notes injections with their text and lets the log know of them, so that a nudge comes once", async () => {
    const nudge = one("nudge", {
      async model(given, next, run) {
        if (run.log.turns.length >= 1 && run.log.interventions.length === 0) run.inject("Mind the tests.", "after one turn");
        return next(given);
      },
    });
    const { triggers, divergence } = await dry(plain, [nudge]);
    expect(triggers).toMatchObject([{ effect: "inject", text: "Mind the tests.", turn: 2, phase: "model", next: 'bash {"command":"b"}' }]);
    expect(divergence).toMatchObject({ turn: 2 });
  });

  it("that would go on where the run ended says so, and how it ended", async () => {
    const more = one("more", { finish: async (run) => (run.spent.turns < 9 ? { message: "Go on.", why: "too early" } : undefined) });
    const { triggers } = await dry(plain, [more]);
    expect(triggers).toMatchObject([{ effect: "resume", phase: "finish", turn: 4, next: "the run ended: done" }]);
  });

  it("that says something and changes nothing is noted, and counts as no act", async () => {
    const scribe = one("scribe", { model: async (given, next, run) => (run.intervene("no effect", "just looking"), next({ ...given })) });
    const { triggers } = await dry(plain, [scribe]);
    expect(triggers).toHaveLength(4);
    for (const { effect } of triggers) expect(effect).toBe("note");
  });

  it("counts questions that the recording does not answer, and serves those that were asked in the same turn", async () => {
    const asks = (name: string, command: string): AnyMiddleware =>
      one(name, {
        async finish(run) {
          const { stdout } = await run.exec(command);
          return stdout === "ran date" && run.spent.turns < 6 ? { message: "again", why: stdout } : undefined;
        },
      });
    const recorded = { ...plain, middleware: [asks("asks", "date")] };
    const other = await dry(recorded, [{ ...asks("asks", "date"), version: "2" }]);
    expect(other).toMatchObject({ unanswered: {}, watched: ["asks"] });
    expect(other.triggers.map(({ already }) => already)).toEqual(other.triggers.map(() => true));
    expect(other.triggers.length).toBeGreaterThan(0);
    const stranger = await dry(recorded, [asks("asks", "date"), asks("stranger", "whoami")]);
    expect(stranger).toMatchObject({ watched: ["stranger"], triggers: [], unanswered: { stranger: expect.any(Number) } });
  });

  it.each(["start", "model", "tool", "finish"] as const)(
    "that asks in its %s phase what nobody asked differs nowhere and is the same nowhere: from that turn on it is not known",
    async (phase) => {
      const asks = async (run: { exec(command: string): Promise<unknown> }): Promise<void> => void (await run.exec("whoami"));
      const stranger = one("stranger", {
        start: phase === "start" ? async (run) => (await asks(run), undefined) : async () => undefined,
        finish: async (run) => (phase === "finish" ? (await asks(run), undefined) : undefined),
        model: async (given, next, run) => (phase === "model" && (await asks(run)), next(given)),
        tool: async (given, next, run) => (phase === "tool" && (await asks(run)), next(given)),
      });
      const verdict = await dry(plain, [stranger], true);
      expect(verdict).toMatchObject({
        divergence: undefined,
        notKnown: { unanswered: true, middleware: "stranger", turn: phase === "finish" ? 4 : 1 },
      });
      const radius = createBlastRadius();
      radius.add("asks", verdict);
      radius.add("differs first", await dry(plain, [guard, stranger], true));
      const { requests, triggers } = radius.result();
      const differs = phase === "finish" || phase === "tool" ? 1 : 0;
      expect(requests).toMatchObject({ changed: { passed: differs }, notKnown: { passed: 2 - differs } });
      expect(triggers.find(({ name }) => name === "stranger")).toMatchObject({ fires: { passed: 0 }, notKnown: { passed: 2 } });
    },
  );

  it.each(["start", "model", "tool", "finish"] as const)(
    "whose middleware takes the missing answer in its %s phase for a failure and acts on that is not believed",
    async (phase) => {
      const failed = (run: Run<unknown>): Promise<boolean> => run.exec("whoami").then(() => false, () => true); // prettier-ignore
      const swallows = one("swallows", {
        start: async (run) => (phase === "start" && (await failed(run)) ? run.inject("It failed.", "whoami") : undefined),
        finish: async (run) => (phase === "finish" && (await failed(run)) ? { message: "It failed.", why: "whoami" } : undefined),
        model: async (given, next, run) => {
          if (phase === "model" && (await failed(run))) run.inject("It failed.", "whoami");
          return next(given);
        },
        tool: async (given, next, run) => {
          if (phase === "tool" && (await failed(run))) return { status: "denied", content: [], effects: { edited: [] } };
          return next(given);
        },
      });
      const { divergence, notKnown, triggers, unanswered } = await dry(plain, [swallows, guard]);
      expect([divergence, notKnown?.middleware]).toEqual(phase === "finish" ? [expect.anything(), undefined] : [undefined, "swallows"]);
      expect(unanswered["swallows"]).toBeGreaterThan(0);
      expect(triggers.map(({ middleware, turn }) => `${middleware} ${turn}`)).toEqual(["guard 1", "guard 3"]);
    },
  );

  it("that makes a side call which nobody made differs by that request itself; what comes of it is not known", async () => {
    const content = [{ type: "text", text: "Is that so?" }] as const;
    const judge = one("judge", {
      finish: async (run) => (await run.model({ messages: [{ role: "user", content: [...content] }] }), undefined),
    });
    const verdict = await dry(plain, [judge], true);
    expect(verdict).toMatchObject({ divergence: { middleware: "judge", turn: 4 }, notKnown: undefined, unanswered: { judge: 1 } });
    const radius = createBlastRadius();
    radius.add("judged", verdict);
    expect(radius.result().triggers).toMatchObject([{ name: "judge", fires: { passed: 0 }, notKnown: { passed: 1 } }]);
  });

  it("that asks what nobody asked is not known either where the recording was cut off, or the run cancelled", async () => {
    const stranger = one("stranger", { tool: async (given, next, run) => (await run.exec("whoami"), next(given)) });
    const whole = await runFixture(plain);
    const second = whole.events.findIndex(({ t, lane }) => t === "tool.call" && lane.startsWith("main/2"));
    const cut = await write({ ...whole, events: whole.events.slice(0, second) });
    const { divergence, notKnown } = await dryRun(cut, withMiddleware(cut, [stranger]));
    expect([divergence, notKnown?.middleware, notKnown?.turn]).toEqual([undefined, "stranger", 1]);
    const person = new AbortController();
    const exec = (command: string): string => (command === "b" && person.abort(new Error("enough")), plain.exec(command));
    const stopped = await runFixture({ ...plain, exec, signal: person.signal });
    expect(stopped.events.map(({ t }) => t)).toContain("cancel");
    const trace = await write(stopped);
    const cancelled = await dryRun(trace, withMiddleware(trace, [stranger]));
    expect([cancelled.divergence, cancelled.notKnown?.middleware, cancelled.notKnown?.turn]).toEqual([undefined, "stranger", 1]);
  });

  it("that acts before the first request does so at turn 1", async () => {
    const greets = one("greets", { start: async (run) => run.inject("Mind the tests.", "always") });
    const { triggers, divergence } = await dry(plain, [greets]);
    expect([triggers[0]?.turn, divergence?.turn]).toEqual([1, 1]);
  });

  it("whose middleware throws says so and goes no further", async () => {
    const breaks = one("breaks", { tool: async () => Promise.reject(new Error("no such thing")) });
    const verdict = await dry(plain, [breaks], false);
    expect(verdict.error).toContain('"breaks" threw in its tool phase: no such thing');
    expect(verdict.triggers).toEqual([]);
    const radius = createBlastRadius();
    radius.add("broken", verdict);
    expect(radius.result().triggers).toMatchObject([{ name: "breaks", threw: 1, error: verdict.error, notKnown: { failed: 0 } }]);
  });

  it.each(["start", "model", "tool", "finish"] as const)(
    "whose middleware never comes back from its %s phase says so in both views, and once in all",
    async (phase) => {
      const never = (): Promise<never> => new Promise(() => undefined);
      const trace = await write(await runFixture(plain));
      const other = withMiddleware(trace, [one("waits", { [phase]: never })]);
      const { error, divergence } = await dryRun(trace, { ...other, patience: { ownMs: 20 } });
      expect(error).toContain(`"waits" did not come back within 0.02 s in its ${phase} phase`);
      expect(divergence?.diff).toContain('"waits\\" did not come back');
    },
    5000,
  );

  it("whose middleware begins a phase names it, its turn, and in a tool phase its call", async () => {
    const around = one("around", {
      state: () => undefined,
      model: async (given, next) => next(given),
      tool: async (given, next) => next(given),
    });
    const script = [{ calls: [{ id: "first", name: "bash", args: { command: "a" } }] }, { text: "end" }];
    const trace = await write(await runFixture({ ...plain, script }));
    const begun: string[] = [];
    const onPhase = ({ phase, turn, call: id }: PhasePlace, inside: boolean): void => void (inside && begun.push(`${phase} ${turn} ${id}`));
    await dryRun(trace, { ...withMiddleware(trace, [around]), patience: { onPhase } });
    expect([...new Set(begun)]).toEqual(["state 0 undefined", "model 1 undefined", "tool 1 first", "model 2 undefined"]);
  });

  it("whose middleware keeps the call and then never comes back is told by its name, and not those around it", async () => {
    const hangs = one("hangs", { tool: async (given, next) => next(given).then(() => new Promise(() => undefined)) });
    const around = one("around", { model: async (given, next) => next(given), tool: async (given, next) => next(given) });
    const trace = await write(await runFixture(plain));
    const { error, triggers } = await dryRun(trace, { ...withMiddleware(trace, [around, hangs, guard]), patience: { ownMs: 20 } });
    expect(error).toContain('"hangs" did not come back');
    expect(triggers).toMatchObject([{ middleware: "guard", turn: 1 }]);
  });

  it("adds up over runs by their verdict, names what is gone, and shows one place of each run first, failed ones before passed ones", async () => {
    const radius = createBlastRadius();
    const middlewares = [guard];
    for (const [i, passed] of [true, false, false, undefined].entries()) radius.add(`run-${i}`, await dry(plain, middlewares, passed));
    const gone = one("gone", { start: async () => ({ messages: ["hello"] }) });
    radius.add("other", await dry({ ...plain, middleware: [gone], script: [call("b"), { text: "end" }] }, middlewares, false));
    const result = radius.result();
    expect(result.runs).toEqual({ passed: 1, failed: 3, unknown: 1 });
    expect(result.requests).toMatchObject({ changed: { passed: 1, failed: 3, unknown: 1 }, first: { earliest: 1, median: 1 } });
    expect(result.triggers).toMatchObject([
      {
        name: "guard",
        watched: { passed: 1, failed: 3, unknown: 1 },
        fires: { passed: 1, failed: 2, unknown: 1 },
        places: { block: 8 },
        first: { earliest: 1, median: 1 },
        threw: 0,
      },
      { name: "gone", watched: { passed: 0, failed: 0, unknown: 0 }, before: { failed: 1 } },
    ]);
    const places = result.telling.map(({ run, turn }) => `${run}:${turn}`).join(" ");
    expect(places).toBe("run-1:1 run-2:1 run-0:1 run-3:1 run-1:3 run-2:3 run-0:3 run-3:3");
  });

  it("counts a run in which a middleware acts once, from the turn at which it does", async () => {
    const radius = createBlastRadius();
    radius.add("once", await dry({ ...plain, script: [call("b"), call("a"), { text: "end" }] }, [guard], false));
    expect(radius.result().triggers).toMatchObject([{ fires: { failed: 1 }, places: { block: 1 }, first: { earliest: 2, median: 2 } }]);
  });

  it("shows ten places, also of a single run, and of ten runs one each", async () => {
    const radius = createBlastRadius();
    const long = await dry({ ...plain, script: [...Array.from({ length: 13 }, () => call("a")), { text: "end" }] }, [guard], false);
    radius.add("long", long);
    expect(radius.result().telling.map(({ turn }) => turn)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (let i = 0; i < 9; i++) radius.add(`run-${i}`, long);
    expect(new Set(radius.result().telling.map(({ run }) => run)).size).toBe(10);
  });

  it("leaves the recording as it was: an exact replay follows", async () => {
    const run = await runFixture({ ...plain, middleware: [guard] });
    const trace = await write(run);
    await dryRun(trace, withMiddleware(trace, []));
    expect(await replayTrace(trace, { assemble: async () => [guard] })).toMatchObject({ exact: true });
  });
});
