import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { z } from "zod";
import { middleware, type AnyMiddleware } from "../../harness/contract/middleware.ts";
import type { ToolContext } from "../../harness/contract/ports.ts";
import { DeadlineError, type Limits } from "../../harness/contract/run-result.ts";
import { InfraError } from "../../harness/errors.ts";
import { ModelError } from "../../harness/contract/model-error.ts";
import { createFixtureTools, type FixtureOptions } from "../../testing.ts";

const none = z.strictObject({});
/** A run with everything that can happen in one, small enough to be made by the hundred. */
interface GeneratedRun {
  readonly main: readonly GeneratedTurn[];
  readonly subagent: readonly GeneratedTurn[];
  readonly does: readonly Habit[];
  readonly limits: Limits;
  /** Milliseconds after which the run is ended from outside. */
  readonly cancelAfter: number | undefined;
  readonly cancelBy: "person" | "time" | "machine";
}
interface GeneratedTurn {
  readonly calls: readonly { readonly name: string; readonly delay: number }[];
  readonly failures: number;
  readonly delay: number;
}
type Habit = (typeof habits)[number];
const habits = [
  "refuses",
  "injects",
  "resumes",
  "reads",
  "reads at once",
  "spawns",
  "spawns two",
  "side calls",
  "changes",
  "compacts",
  "retries a call",
  "swallows",
] as const;
const toolNames = ["look", "glance", "write", "agent", "agents", "breaks", "fails", "missing"] as const;

const turn = fc.record({
  calls: fc.array(
    fc.record({
      name: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom("look", "glance", "write") },
        { weight: 1, arbitrary: fc.constantFrom(...toolNames) },
      ),
      delay: fc.integer({ min: 0, max: 6 }),
    }),
    { maxLength: 4 },
  ),
  failures: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 7 }) }),
  delay: fc.integer({ min: 0, max: 3 }),
});

export const generatedRun: fc.Arbitrary<GeneratedRun> = fc.record({
  main: fc.array(turn, { minLength: 1, maxLength: 4 }),
  subagent: fc.array(turn, { minLength: 0, maxLength: 2 }),
  does: fc.subarray([...habits]),
  limits: fc.oneof(
    { weight: 3, arbitrary: fc.constant({ turns: 8 }) },
    {
      weight: 1,
      arbitrary: fc.record({
        turns: fc.integer({ min: 1, max: 8 }),
        tokens: fc.integer({ min: 1, max: 200 }),
        activeMs: fc.integer({ min: 1, max: 60 }),
      }),
    },
  ),
  cancelAfter: fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined, freq: 1 }),
  cancelBy: fc.constantFrom("person", "time", "machine"),
});

/** The options of `runFixture` for it. Asked again they give the same run, as far as its timers do. */
export function optionsOf(run: GeneratedRun): FixtureOptions {
  const controller = new AbortController();
  if (run.cancelAfter !== undefined) setTimeout(() => controller.abort(cancelOf(run.cancelBy)), run.cancelAfter);
  const sandboxWait = (command: string): string => `ran ${command}`;
  return {
    script: { ...scriptedModel(run) },
    middleware: middlewareOf(run),
    tools: tools(),
    limits: run.limits,
    signal: controller.signal,
    files: { "note.txt": "a note" },
    exec: sandboxWait,
  };
}

function cancelOf(by: GeneratedRun["cancelBy"]): Error {
  if (by === "time") return new DeadlineError("time is over");
  return by === "machine" ? new InfraError("The machine is gone.") : new Error("Ctrl-C");
}

/** Answers by place alone, each after its own time. A turn without calls is the end, unless a middleware resumes. */
function scriptedModel(run: GeneratedRun): Extract<FixtureOptions["script"], { identity: unknown }> {
  const attempts = new Map<string, number>();
  return {
    identity: { provider: "scripted", name: "generated", protocol: "native", priceTable: "free" },
    async call(_request, { place, signal }) {
      const turns = place.lane.includes("sub") ? run.subagent : run.main;
      const turn = place.lane.includes("mw:") && !place.lane.includes("sub") ? undefined : turns[place.ordinal];
      await wait(turn?.delay ?? 0, undefined, { signal }).catch(() => signal.throwIfAborted());
      const key = `${place.lane}#${place.ordinal}`;
      const tried = attempts.get(key) ?? 0;
      attempts.set(key, tried + 1);
      if (turn && tried < turn.failures)
        throw new ModelError(tried % 2 === 0 ? "overloaded" : "rate_limit", `no, ${tried}`, { status: 529 });
      const calls = (turn?.calls ?? []).map(({ name, delay }, i) => ({ id: `${key}.${i}`, name, args: { delay, key } }));
      const said = { type: "text", text: `turn ${key}` } as const;
      return {
        message: { role: "assistant", content: [said, ...calls.map((call) => ({ type: "call" as const, ...call }))] },
        calls,
        usage: { input: 7, output: 3, cached: 0 },
        stop: calls.length > 0 ? "calls" : "end",
        costUsd: 0.25,
        activeMs: 2,
      };
    },
  };
}

function tools() {
  const pause = async (ms: unknown, { signal }: ToolContext): Promise<void> => {
    await wait(Number(ms), undefined, { signal }).catch(() => signal.throwIfAborted());
  };
  return createFixtureTools(
    {
      async look({ args }, context) {
        await pause(args["delay"], context);
        return `looked for ${String(args["delay"])}`;
      },
      // does not heed the signal: its result comes after the end
      async glance({ args }) {
        await wait(Number(args["delay"]));
        return { text: "glanced", status: "error" };
      },
      async write({ args }, context) {
        await pause(args["delay"], context);
        context.emit("user.approval", { question: { text: "May I?" }, answer: "yes" });
        return { text: "wrote", effects: { edited: [`file${String(args["delay"])}`] }, activeMs: 3 };
      },
      async agent({ args }, context) {
        if (context.lane.includes("sub")) return "no agents below agents";
        const result = await context.spawn({ task: `help ${String(args["key"])}` });
        return JSON.stringify(result["outcome"]);
      },
      async agents(_call, context) {
        if (context.lane.includes("sub")) return "no agents below agents";
        const results = await Promise.all([context.spawn({ task: "one" }), context.spawn({ task: "two" })]);
        return results.map((result) => String(result["answer"])).join();
      },
      breaks: async ({ args }, context) => {
        await pause(args["delay"], context);
        throw new InfraError("The container is gone.");
      },
      fails: () => Promise.reject(new TypeError("a defect of the tool")),
    },
    { readOnly: ["look", "glance", "agent", "agents"] },
  );
}

function middlewareOf({ does }: GeneratedRun): AnyMiddleware[] {
  const all: Record<Habit, AnyMiddleware> = {
    refuses: middleware("refuses", "1", none, () => ({
      async tool(call, next) {
        if (call.args["delay"] === 2) return { status: "denied", content: [{ type: "text", text: "not now" }], effects: { edited: [] } };
        return next(call);
      },
    })).create({}),
    injects: middleware("injects", "1", none, () => ({
      async start() {
        return { system: "Be kind.", messages: ["Mind the gap."] };
      },
      async tool(call, next, run) {
        const reply = await next(call);
        if (reply.effects.edited.length > 0) run.inject(`edited ${reply.effects.edited.join()}, ${run.log.calls.length} calls`, "edited");
        return reply;
      },
    })).create({}),
    resumes: middleware<Record<string, never>, { times: number }>("resumes", "1", none, () => ({
      state: () => ({ times: 0 }),
      async finish(run) {
        run.state = { times: run.state.times + 1 };
        return run.state.times < 3 ? { message: `again at ${run.spent.turns}`, why: "not yet" } : undefined;
      },
    })).create({}),
    reads: middleware("reads", "1", none, () => ({
      async start(run) {
        return { system: `${run.now()} ${run.random()}` };
      },
      async model(call, next, run) {
        const { stdout } = await run.exec("date");
        await run.writeFile("out.txt", stdout);
        return next({ ...call, params: { ...call.params, temperature: run.random() } });
      },
    })).create({}),
    "reads at once": middleware("reads at once", "1", none, () => ({
      async tool(call, next, run) {
        const asked = [run.exec("slow"), run.readFile("note.txt"), run.exec("quick"), run.readFile("missing")];
        const reply = await next(call);
        const time = run.now();
        const answers = await Promise.all(asked);
        run.intervene(`${time} ${JSON.stringify(answers)}`, "noted");
        return reply;
      },
    })).create({}),
    spawns: middleware("spawns", "1", none, () => ({
      async tool(call, next, run) {
        if (run.lane !== "main" || call.name !== "look") return next(call);
        const first = await run.spawn({ task: "before" });
        const reply = await next(call);
        return { ...reply, content: [...reply.content, { type: "text", text: first.outcome.type }] };
      },
    })).create({}),
    "spawns two": middleware("spawns two", "1", none, () => ({
      async start(run) {
        if (run.lane !== "main") return;
        const [one, two] = await Promise.all([run.spawn({ task: "left" }), run.spawn({ task: "right" })]);
        return { messages: [`${one.outcome.type} ${two.outcome.type}`] };
      },
    })).create({}),
    "side calls": middleware("side calls", "1", none, () => ({
      async finish(run) {
        const ask = (text: string) => run.model({ messages: [{ role: "user", content: [{ type: "text", text }] }] });
        const answers = await Promise.all([ask("left?"), ask("right?")]);
        run.intervene(JSON.stringify(answers.map((answer) => answer.message)), "asked");
      },
    })).create({}),
    changes: middleware("changes", "1", none, () => ({
      async model(call, next) {
        return next({ ...call, messages: call.messages.slice(-3) });
      },
      async tool(call, next) {
        const reply = await next({ ...call, args: { ...call.args, delay: 1 } });
        return { ...reply, status: "ok" };
      },
    })).create({}),
    // from then on the model sees the task, a summary that it was asked for, and what came after
    compacts: middleware<Record<string, never>, { summary: string; until: number }>("compacts", "1", none, () => ({
      state: () => ({ summary: "", until: 0 }),
      async model(call, next, run) {
        const { messages } = call;
        if (messages.length - run.state.until > 3) {
          const asked = { role: "user" as const, content: [{ type: "text" as const, text: `Sum up ${messages.length} messages.` }] };
          const { message } = await run.model({ messages: [asked] });
          run.state = { summary: JSON.stringify(message.content), until: messages.length - 1 };
          run.intervene(`compacted ${messages.length} messages`, "too long");
        }
        if (run.state.until === 0) return next(call);
        const summary = { role: "user" as const, content: [{ type: "text" as const, text: run.state.summary }] };
        return next({ ...call, messages: [...messages.slice(0, 1), summary, ...messages.slice(run.state.until)] });
      },
    })).create({}),
    "retries a call": middleware("retries a call", "1", none, () => ({
      async tool(call, next) {
        const reply = await next(call);
        return reply.status === "error" ? next(call) : reply;
      },
    })).create({}),
    swallows: middleware("swallows", "1", none, () => ({
      async model(call, next, run) {
        const text = await run.exec("may fail").then(
          ({ stdout }) => stdout,
          () => "nothing",
        );
        run.intervene(text, "asked");
        return next(call);
      },
    })).create({}),
  };
  return does.map((habit) => all[habit]);
}
