import { describe, expect, it } from "vitest";
import { z } from "zod";
import { middleware, type AnyMiddlewareDefinition } from "../../../harness/contract/middleware.ts";
import { text, userMessage, type Message } from "../../../harness/contract/messages.ts";
import { builtinMiddleware } from "../../../middleware/registry.ts";
import { runFixture } from "../../../testing.ts";

const bash = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });
const script = [bash("ls"), bash("pwd"), bash("id"), { text: "All is done as it was asked." }];
const changing = (change: (messages: readonly Message[], turn: number) => readonly Message[], rewrites?: true): AnyMiddlewareDefinition =>
  middleware("mine", "1", z.strictObject({}), () => ({
    ...(rewrites ? { rewrites } : {}),
    async model(call, next, run) {
      run.intervene("looked", "for the test");
      return next({ ...call, messages: change(call.messages, run.log.turns.length) });
    },
  }));
const masked = (messages: readonly Message[]): readonly Message[] =>
  messages.map((message, i) =>
    message.role === "tool" && i < messages.length - 1 ? { ...message, content: [text("(masked)")] } : message,
  );
const forOneCall = (messages: readonly Message[], turn: number): readonly Message[] => [...messages, userMessage(`turn ${turn}`)];
const copied = (messages: readonly Message[]): readonly Message[] => messages.map((message) => structuredClone(message));
const kept = (messages: readonly Message[]): readonly Message[] => [
  ...messages.slice(0, 1),
  userMessage("always here"),
  ...messages.slice(1),
];
const run = (definition: AnyMiddlewareDefinition, name: string) =>
  runFixture({ middleware: [definition.create({})], script, model: { name } });
const said = ({ interventions }: Awaited<ReturnType<typeof run>>): string[] =>
  interventions.flatMap(({ change, why }) => (change === "looked" ? [] : [`${change}: ${why}`]));

describe("a middleware that changes earlier messages", () => {
  const free = "anthropic/claude-opus-5";
  const frozen = "anthropic/claude-opus-5-5";

  it.each([
    ["masks old results", masked],
    ["adds a message for one call alone", forOneCall],
  ] as const)("is an event, once a run, where it %s and does not declare it, and replays", async (_what, change) => {
    const done = await run(changing(change), free);
    expect(done.result.outcome).toEqual({ type: "done" });
    expect(said(done)).toEqual(["changed earlier messages: it does not declare that: write rewrites: true beside its methods"]);
    expect((await done.replay()).exact).toBe(true);
  });

  it("is none where it declares it", async () => {
    const done = await run(changing(masked, true), free);
    expect(said(done)).toEqual([]);
    expect((await done.replay()).exact).toBe(true);
  });

  it.each([undefined, true as const])("ends the run before a model that refuses it hears of it, declared (%s) or not", async (declared) => {
    const { result, requests } = await run(changing(masked, declared), frozen);
    expect(result.outcome).toEqual({
      type: "error",
      kind: "config",
      message:
        'The middleware "mine" changed earlier messages, and anthropic/claude-opus-5-5 refuses a conversation whose earlier messages changed (history: frozen in docs/models.md). Let it add at the end with run.inject, leave it out with {name: mine, off: true}, or name a model whose history is free.',
    });
    expect(requests).toHaveLength(2);
  });

  it.each([
    ["copies what it lets through", copied],
    ["adds the same message at the same place", kept],
  ] as const)("is not one that %s", async (_what, change) => {
    const done = await run(changing(change), frozen);
    expect(done.result.outcome).toEqual({ type: "done" });
    expect(said(done)).toEqual([]);
  });

  it("is none of those that Forge ships", async () => {
    const all = Object.values(builtinMiddleware).map((one) => one.create(one.options.parse({})) as ReturnType<typeof one.create>);
    const same = [bash("ls"), bash("ls"), bash("ls"), bash("ls"), bash("ls"), ...script];
    const done = await runFixture({ middleware: all, script: same, model: { name: frozen } });
    expect(done.result.outcome).toEqual({ type: "done" });
    expect(done.interventions.map(({ change }) => change)).toContain("inject");
  });
});
