import { describe, expect, it } from "vitest";
import { z } from "zod";
import { middleware } from "../../../harness/contract/middleware.ts";
import { runFixture, type ScriptedReply } from "../../../testing.ts";

const bash = (command: string) => ({ name: "bash", args: { command } });
const cut: ScriptedReply = { text: "First I will", stop: "length", usage: { output: 1000 } };
const printed: ScriptedReply = { text: '```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```' };
const said = (run: Awaited<ReturnType<typeof runFixture>>, request: number): string => {
  const last = run.requests[request]?.messages.at(-1);
  return last?.role === "user" ? (last.content[0] as { text: string }).text : `(${last?.role})`;
};

describe("a reply that was cut at its length", () => {
  it("is continued once, with the limit named, and may then end the work", async () => {
    const run = await runFixture({ script: [cut, { text: "Done." }] });
    expect(run.result).toMatchObject({ outcome: { type: "done" }, answer: "Done.", spent: { turns: 2 } });
    expect(said(run, 1)).toContain("cut off at the limit of 1000 output tokens");
    expect(run.interventions).toEqual([
      expect.objectContaining({ name: "loop", change: "resume", why: "the reply was cut at 1000 output tokens" }),
    ]);
    expect(await run.replay()).toMatchObject({ exact: true });
  });

  it("ends the run with the limit `output` where its continuation is cut too", async () => {
    const run = await runFixture({ script: [cut, cut, { text: "never asked" }] });
    expect(run.result).toMatchObject({ outcome: { type: "limit", limit: "output" }, spent: { turns: 2 } });
    expect(run.events.find(({ t }) => t === "limit.hit")?.d).toEqual({ limit: "output", used: 1000, allowed: 1000 });
    expect((await run.replay()).exact).toBe(true);
  });

  it("is continued again after a call was made", async () => {
    const run = await runFixture({ script: [cut, { calls: [bash("ls")] }, cut, { text: "Done." }] });
    expect(run.result).toMatchObject({ outcome: { type: "done" }, spent: { turns: 4 } });
  });

  it("is no end for a middleware to judge", async () => {
    let judged = 0;
    const judge = middleware("judge", "1", z.strictObject({}), () => ({ finish: async () => void judged++ })).create({});
    await runFixture({ script: [cut, { text: "Done." }], middleware: [judge] });
    expect(judged).toBe(1);
  });

  it("has its calls carried out", async () => {
    const run = await runFixture({ script: [{ ...cut, calls: [bash("ls")] }, { text: "Done." }], exec: () => "a.txt" });
    expect(run.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool" });
    expect(run.interventions).toEqual([]);
  });
});

describe("an empty reply", () => {
  it("is answered once, and the second ends the run as the agent's error", async () => {
    const run = await runFixture({ script: [{}, { text: "  \n" }] });
    expect(run.result.outcome).toEqual({ type: "error", kind: "agent", message: "The model's reply was empty twice." });
    expect(said(run, 1)).toContain("Your reply was empty");
    expect((await run.replay()).exact).toBe(true);
  });

  it("is forgotten as soon as the model goes on", async () => {
    const run = await runFixture({ script: [{}, { calls: [bash("ls")] }, {}, { text: "Done." }] });
    expect(run.result.outcome).toEqual({ type: "done" });
  });

  it("and a cut one are answered apart, each once", async () => {
    const run = await runFixture({ script: [cut, {}, cut] });
    expect(run.result).toMatchObject({ outcome: { type: "limit", limit: "output" }, spent: { turns: 3 } });
  });
});

describe("a call printed as text", () => {
  it.each([
    ["JSON in a fence", printed.text],
    ["JSON alone", '{"name": "bash", "arguments": {"command": "ls"}}'],
    ["JSON that cannot be read", '{"name": "bash", "arguments": {"command": "echo "hi""}}'],
    ["OpenAI's own form", '{"tool_calls": [{"function": {"name": "bash", "arguments": "{}"}}]}'],
    ["a tag", 'I look.\n<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>'],
    ["a tag with another name", '<function_calls><invoke name="bash"><parameter name="command">ls</parameter></invoke></function_calls>'],
    ["a marker", '[TOOL_CALLS] [{"name": "bash", "arguments": {}}]'],
    ["a function", 'bash(command="ls -la")'],
    ["a function in a fence", "```tool_code\nprint(bash('ls'))\n```"],
    ["one among words", `Let me look.\n\n${printed.text ?? ""}\n\nThen I go on.`],
  ])("by a native model is answered with how calls are made: %s", async (_, text = "") => {
    const run = await runFixture({ script: [{ text }, { calls: [bash("ls")] }, { text: "Done." }] });
    expect(run.result.outcome).toEqual({ type: "done" });
    expect(said(run, 1)).toContain("Make calls through the tool interface");
    expect(said(run, 1)).toContain("The tools are: bash.");
    expect((await run.replay()).exact).toBe(true);
  });

  it("again is never the final answer", async () => {
    const run = await runFixture({ script: [printed, printed] });
    expect(run.result.outcome).toMatchObject({ type: "error", kind: "agent" });
    expect((await run.replay()).exact).toBe(true);
  });

  it.each([
    ["a command to run", "Run it with:\n```bash\nnpm start\n```"],
    ["a file", 'package.json is now:\n```json\n{"name": "shop", "version": "1.0.0"}\n```'],
    ["a result", '{"total": 3, "rows": []}'],
    ["a marker that is spoken of", 'The parser takes `<tool_call>{"name": "x"}` now.'],
    ["a function that is spoken of", "I called bash(…) twice and it works."],
    ["an example of another tool", 'Send it\n```json\n{"name": "create_user", "arguments": {"id": 1}}\n```\nto the server.'],
  ])("is not seen in %s", async (_, text) => {
    const run = await runFixture({ script: [{ text }] });
    expect(run.result).toMatchObject({ outcome: { type: "done" }, answer: text, spent: { turns: 1 } });
  });

  it.each([
    ["broken JSON of no tool", '```json\n{"tool": "sed", "args": {"-i", "s/a/b/", "path": "a.py"}}\n```'],
    ["broken JSON among words", 'I fix it.\n```json\n{"tool": "sed", "args": {"-i", "s/a/b/"}}\n```'],
    ["no name", '```json\n{"args": {"path": "a.py"}}\n```'],
    ["a command without its tool", '```json\n{"command": "ls"}\n```'],
    ["another model's form", '<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'],
  ])("in the text protocol is answered too: %s", async (_, text) => {
    const model = { protocol: "text" as const };
    const run = await runFixture({ script: [{ text }, { text: "DONE" }], model });
    expect(run.result).toMatchObject({ outcome: { type: "done" }, answer: "DONE" });
    expect(said(run, 1)).toContain("A call is a shell command in a bash block");
    expect((await run.replay()).exact).toBe(true);
  });
});

it("a loop of version 1 takes each of them as the end", async () => {
  for (const reply of [cut, {}, printed]) {
    const run = await runFixture({ script: [reply], loop: 1 });
    expect(run.result.outcome).toEqual({ type: "done" });
    expect((await run.replay()).exact).toBe(true);
  }
});
