import { describe, expect, it } from "vitest";
import { z } from "zod";
import { middleware } from "../../index.ts";
import { builtinMiddleware } from "../../middleware/registry.ts";
import { createScript } from "../../middleware/local-context/script.ts";
import { runFixture, type FixtureTool, type ScriptedReply } from "../../testing.ts";
import { bash, say, write } from "./workspace.ts";

/** Each a fault of harnesses that were published, kept from coming back. */
const create = (name: keyof typeof builtinMiddleware, o: object = {}) => {
  const definition = builtinMiddleware[name];
  if (!definition) throw new Error(`no ${name}`);
  return definition.create(definition.options.parse(o));
};
const tools: Record<string, FixtureTool> = {
  bash: ({ args }) => `said ${String(args["command"])}`,
  write: ({ args }) => ({ text: "written", effects: { edited: [String(args["path"])] } }),
};

describe("published defects", () => {
  it("a checklist that adds a message but does not continue", async () => {
    const run = await runFixture({
      middleware: [create("completion-gate", { mode: "checklist" })],
      script: [say("DONE"), say("DONE")],
      tools,
    });
    expect(run.requests).toHaveLength(2);
    expect(run.requests[1]?.messages.at(-1)?.role).toBe("user");
  });

  it("hard reflection that fires only at a finish attempt: here it comes in the middle, before any", async () => {
    const script = [...Array.from({ length: 12 }, (_, i) => write("a.py", `${i}`)), bash("ls"), say("DONE")];
    const run = await runFixture({ middleware: [create("loop-detection")], script, tools });
    const pivot = run.events.findIndex((event) => event.t === "middleware" && String(event.d["why"]).startsWith("12 edits"));
    const thirteenth = run.events.flatMap((event, at) => (event.t === "model.request" ? [at] : []))[12] ?? -1;
    expect(pivot).toBeGreaterThan(0);
    expect(pivot).toBeLessThan(thirteenth);
  });

  it("effort raised and never restored", async () => {
    const run = await runFixture({
      middleware: [create("reasoning-sandwich", { work: "low" })],
      script: [bash("ls"), write("a.py", "1"), bash("ls"), say("DONE")],
      tools,
      model: { name: "openai/gpt-5.2", effort: "medium" },
    });
    expect(run.requests.map((request) => request.params.effort)).toEqual(["xhigh", "xhigh", "low", "low"]);
  });

  it('"tests were run" satisfied by `pip install pytest`', async () => {
    const script = [write("a.py", "1"), bash("pip install pytest"), say("All tests were run. DONE"), say("DONE")];
    const run = await runFixture({ middleware: [create("completion-gate", { maxBlocks: 1 })], script, tools });
    expect(run.interventions.map((one) => one.change)).toEqual(["resume"]);
  });

  it("interventions missing from the saved trajectory: each message the model got from a middleware is an event with its text", async () => {
    const script: ScriptedReply[] = [
      ...Array.from({ length: 5 }, (_, i) => write("a.py", `${i}`)),
      ...Array.from({ length: 4 }, () => bash("ls")),
      say("DONE"),
      say("DONE"),
      say("DONE"),
    ];
    const all = Object.keys(builtinMiddleware).map((name) => create(name));
    const run = await runFixture({ middleware: all, script, tools, exec: () => "@cwd /app\n@end \n", model: { name: "openai/gpt-5.2" } });
    const told = run.requests.at(-1)?.messages.flatMap((message) => (message.role === "user" ? message.content : [])) ?? [];
    const recorded = run.interventions.map((one) => one.text);
    expect(told.length).toBeGreaterThan(4);
    for (const part of told.slice(1)) expect(recorded).toContain(part.type === "text" ? part.text : "");
    expect(run.interventions.filter((one) => one.change === "refused a repeated call")).toHaveLength(1);
    expect(run.interventions.filter((one) => one.change.startsWith("effort")).length).toBeGreaterThan(0);
    expect((await run.replay()).exact).toBe(true);
  });

  it("state on the instance shared between subagents: a subagent begins with a count of its own, and leaves its parent's alone", async () => {
    const spawner = middleware("spawner", "1", z.strictObject({}), () => ({
      async tool(call, next, run) {
        if (call.args["command"] === "delegate") await run.spawn({ task: "Help." });
        return next(call);
      },
    })).create({});
    const three = (n: number): ScriptedReply[] => Array.from({ length: n }, (_, i) => write("a.py", `${i}`));
    const parent = [...three(3), bash("delegate"), ...three(1), say("DONE")];
    const child = [...three(4), say("DONE")];
    const run = await runFixture({
      middleware: [create("loop-detection"), spawner],
      script: (_request, { lane, ordinal }) => (lane === "main" ? parent : child)[ordinal] ?? say("DONE"),
      tools,
    });
    expect(run.events.some((event) => event.t === "agent.spawn")).toBe(true);
    expect(run.interventions).toEqual([]);
  });

  it("the same, in a process where two runs share one instance", async () => {
    const shared = create("loop-detection");
    const script = [...Array.from({ length: 4 }, (_, i) => write("a.py", `${i}`)), say("DONE")];
    for (let i = 0; i < 3; i++) expect((await runFixture({ middleware: [shared], script, tools })).interventions).toEqual([]);
  });

  it("onboarding that looks for hidden tests", async () => {
    const asked: string[] = [];
    const exec = (command: string): string => (asked.push(command), "@cwd /app\n@end \n");
    const all = Object.keys(builtinMiddleware).map((name) => create(name));
    await runFixture({
      middleware: all,
      script: [say("I wrote /tests/out.txt.")],
      tools,
      exec,
      task: "Write /tests/out.txt, /logs/a.txt and /solution/b.txt.",
    });
    expect(asked).toEqual([createScript({ ...localDefaults(), tools: localDefaults().tools })]);
    expect(asked.join()).not.toMatch(/\/tests|\/solution|\/logs/);
  });
});

function localDefaults(): { depth: number; entries: number; tools: string[] } {
  return builtinMiddleware["local-context"]?.options.parse({}) as { depth: number; entries: number; tools: string[] };
}
