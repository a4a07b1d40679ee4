import { describe, expect, it } from "vitest";
import { reasoningSandwich, reasoningSandwich1 } from "../../middleware/reasoning-sandwich.ts";
import { completionGate } from "../../middleware/completion-gate.ts";
import { middleware, type ModelCall } from "../../index.ts";
import { z } from "zod";
import { runFixture, type FixtureTool, type ScriptedReply } from "../../testing.ts";
import { bash, say, write } from "./workspace.ts";

const create = (o: object = {}) => reasoningSandwich.create(reasoningSandwich.options.parse(o));
const tools: Record<string, FixtureTool> = {
  bash: ({ args }) => ({
    text: "ok",
    effects: { edited: [], ...(args["command"] === "test" ? { check: { command: "test", passed: true } } : {}) },
  }),
  write: ({ args }) => ({ text: "written", effects: { edited: [String(args["path"])] } }),
};
const thinking = { name: "openai/gpt-5.2", effort: "medium" } as const;

async function efforts(script: ScriptedReply[], options: object = {}, limits = { turns: 50 }) {
  const run = await runFixture({ middleware: [create(options)], script, tools, model: thinking, limits });
  return { run, efforts: run.requests.map((request) => request.params.effort) };
}

describe("reasoning-sandwich", () => {
  it("thinks much before the first edit, less while editing, much again once a check has run, and less with the next edit", async () => {
    const { run, efforts: seen } = await efforts([
      bash("ls"),
      write("a.py", "1"),
      bash("ls"),
      bash("test"),
      write("a.py", "2"),
      say("DONE"),
    ]);
    expect(seen).toEqual(["xhigh", "xhigh", "high", "high", "xhigh", "high"]);
    expect(run.interventions).toHaveLength(6);
    expect(run.interventions[3]).toMatchObject({ phase: "model", change: "effort medium → high", why: "work: editing" });
    expect((await run.replay()).exact).toBe(true);
  });

  it("counts a check before any edit as planning: the tests are run to see what fails", async () => {
    expect((await efforts([bash("test"), bash("ls"), say("DONE")])).efforts).toEqual(["xhigh", "xhigh", "xhigh"]);
  });

  it("ends planning at its share of the limits even without an edit", async () => {
    const script = [...Array.from({ length: 5 }, () => bash("ls")), say("DONE")];
    expect((await efforts(script, { unknown: "low" }, { turns: 10 })).efforts).toEqual(["xhigh", "xhigh", "xhigh", "xhigh", "low", "low"]);
  });

  it("verifies after a finish was refused, until the next edit", async () => {
    const gate = completionGate.create(completionGate.options.parse({}));
    const run = await runFixture({
      middleware: [gate, create()],
      script: [write("a.py", "1"), say("DONE"), bash("python3 a.py"), write("a.py", "2"), bash("python3 a.py"), say("DONE")],
      tools,
      model: thinking,
    });
    expect(run.requests.map((request) => request.params.effort)).toEqual(["xhigh", "high", "xhigh", "xhigh", "high", "high"]);
  });

  it("raises effort for the one call only: what others see before and after it is the configuration's", async () => {
    const seen: (string | undefined)[] = [];
    const observer = middleware("observer", "1", z.strictObject({}), () => ({
      async model(call: ModelCall, next) {
        seen.push(call.params.effort);
        const reply = await next(call);
        seen.push(call.params.effort);
        return reply;
      },
    })).create({});
    await runFixture({ middleware: [observer, create()], script: [bash("ls"), say("DONE")], tools, model: thinking });
    expect(seen).toEqual(["medium", "medium", "medium", "medium"]);
  });

  const unknown =
    "openai/qwen2.5-coder is not known to take an effort parameter; if it does, say so in the configuration: models: {openai/qwen2.5-coder: {effort: [low, high]}}";
  it.each([
    ["openai/gpt-4.1", reasoningSandwich, "openai/gpt-4.1 has no effort parameter"],
    ["openai/qwen2.5-coder", reasoningSandwich, unknown],
    ["openai/qwen2.5-coder", reasoningSandwich1, "openai/qwen2.5-coder has no effort parameter"],
  ])("says once of %s that it takes no effort, or is not known to, and changes nothing", async (name, definition, why) => {
    const run = await runFixture({
      middleware: [definition.create(definition.options.parse({}))],
      script: [bash("ls"), bash("pwd"), say("DONE")],
      tools,
      model: { name },
    });
    expect(run.interventions).toEqual([expect.objectContaining({ change: "no effect", why })]);
    expect(run.requests.every((request) => request.params.effort === undefined)).toBe(true);
  });

  it("makes no event where the effort is already right", async () => {
    const run = await runFixture({ middleware: [create({ plan: "medium" })], script: [bash("ls"), say("DONE")], tools, model: thinking });
    expect(run.interventions).toEqual([]);
  });
});
