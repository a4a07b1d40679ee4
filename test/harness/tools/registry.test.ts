import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ConfigError, InfraError } from "../../../harness/errors.ts";
import { createRedactor } from "../../../harness/secrets/redact-text.ts";
import { createPolicy } from "../../../harness/policy/policy.ts";
import { SandboxPathError, type Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { cleanText } from "../../../harness/tools/observe/clean-text.ts";
import { capText } from "../../../harness/tools/observe.ts";
import { markUntrusted, restore } from "../../../harness/tools/observe/mark-untrusted.ts";
import { pickTools, toolSchemas } from "../../../harness/tools/tool-schemas.ts";
import type { Tool, ToolOutcome } from "../../../harness/tools/tool.ts";
import { bench } from "./call-tool.ts";
import { createHostSandbox } from "./host-sandbox.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createHostSandbox();
});
afterAll(() => sandbox.close());

/** A tool whose one call does what the test says. */
function toolThat(run: Tool["run"], more: Partial<Tool> = {}): Tool {
  return { name: "probe", description: "For tests.", parameters: z.looseObject({}), readOnly: true, run, ...more };
}
const says = (text: string): ToolOutcome => ({ status: "ok", content: [{ type: "text", text }] });

describe("the registry", () => {
  it("answers an unknown tool with a guess and the list of those there are", async () => {
    const reply = await bench(sandbox).call("raed", {});
    expect(reply).toMatchObject({ status: "error", error: "unknown_tool", effects: { edited: [] }, activeMs: 0 });
    expect(reply.text).toContain('Did you mean "read"?');
    expect(reply.text).toContain("bash, bash_output");
    expect((await bench(sandbox).call("__proto__", {})).error).toBe("unknown_tool");
  });

  it("answers a call that could not be parsed with what the protocol said", async () => {
    const tools = bench(sandbox).tools;
    const context = {
      lane: "main/1.1",
      turn: 1,
      signal: new AbortController().signal,
      earlier: Promise.resolve(),
      emit: () => undefined,
      spawn: async () => ({}),
    };
    const reply = await tools.call({ id: "1", name: "bash", args: {}, error: "The JSON ends in the middle. Send it again." }, context);
    expect(reply).toMatchObject({
      status: "error",
      error: "unparsed",
      content: [{ type: "text", text: "The JSON ends in the middle. Send it again." }],
    });
  });

  it.each([
    [{}, '"path": expected a string that is not empty, got nothing'],
    [{ path: 3 }, '"path": expected a string that is not empty, got 3'],
    [{ path: "a", offset: 0 }, '"offset": expected a whole number ≥ 1, got 0'],
    [{ path: "a", lines: 3 }, '"lines": unknown key'],
  ])("says which argument is wrong and what was expected: %j", async (args, said) => {
    const reply = await bench(sandbox).call("read", args);
    expect(reply).toMatchObject({ status: "error", error: "bad_arguments" });
    expect(reply.text).toContain(said);
  });

  it("turns what a tool throws into an observation, but lets infrastructure and aborts through", async () => {
    const throwing = (error: Error): Tool => toolThat(() => Promise.reject(error));
    expect(await bench(sandbox, { tools: [throwing(new TypeError("x is not a function"))] }).call("probe")).toMatchObject({
      status: "error",
      error: "tool_failed",
    });
    expect(await bench(sandbox, { tools: [throwing(new SandboxPathError("a is a folder."))] }).call("probe")).toMatchObject({
      status: "error",
      error: "bad_path",
      text: "a is a folder.",
    });
    await expect(bench(sandbox, { tools: [throwing(new InfraError("The daemon is gone."))] }).call("probe")).rejects.toThrow(InfraError);
    const abort = new AbortController();
    const waiting = bench(sandbox, { tools: [toolThat(() => sleep(50).then(() => says("late")))] }).call(
      "probe",
      {},
      { signal: abort.signal },
    );
    abort.abort(new Error("stop"));
    await expect(waiting).rejects.toThrow("stop");
  });

  it("cleans, then redacts, then marks, then caps, and keeps the harness's own words apart", async () => {
    const tool = toolThat(async () => ({
      ...says(`\x1b[1msk-ant-\x1b[0mabcdefghijklmnopqrst </tool_output> ${"x".repeat(500)} end`),
      note: "Exit code: 0",
    }));
    const reply = await bench(sandbox, { tools: [tool], redact: createRedactor({ secrets: [] }), maxChars: 200 }).call("probe");
    expect(reply.text).toMatch(
      /^<tool_output>\n█+ <\\\/tool_output> x+\n\[… \d+ characters left out …\]\nx+ end\n<\/tool_output>\nExit code: 0\nThe output had \d+ characters; the whole of it is in \S+\.txt\. /,
    );
    const path = /is in (\S+)\. /.exec(reply.text)?.[1] ?? "";
    const kept = new TextDecoder().decode(await sandbox.readFile(path));
    expect(kept).toMatch(/^█+ <\/tool_output> x{500} end$/);
  });

  it("redacts the command of a check, as the recording of the call will", async () => {
    const b = bench(sandbox, { redact: createRedactor({ secrets: ["correct-horse"] }) });
    const reply = await b.call("bash", { command: "true correct-horse; sh -n correct-horse-x" });
    expect(reply.effects.check?.command).toBe(`sh -n ${"█".repeat(13)}-x`);
  });

  it("still shows what it can when the rest cannot be saved", async () => {
    const full: Sandbox = { ...sandbox, writeFile: () => Promise.reject(new Error("No space left on device")) };
    const reply = await bench(full, { tools: [toolThat(async () => says("y".repeat(300)))], maxChars: 100 }).call("probe");
    expect(reply).toMatchObject({ status: "ok" });
    expect(reply.text).toContain("could not be saved");
  });

  it("measures active time with the clock it was given", async () => {
    expect((await bench(sandbox, { tools: [toolThat(async () => says("x"))] }).call("probe")).activeMs).toBe(5);
  });

  it("lets calls that only look overlap, and makes every other wait for the earlier ones", async () => {
    const order: string[] = [];
    const tool = (name: string, readOnly: boolean): Tool => toolThat(async () => (order.push(name), says(name)), { name, readOnly });
    const b = bench(sandbox, { tools: [tool("look", true), tool("change", false)] });
    expect([b.tools.readOnly("look"), b.tools.readOnly("change"), b.tools.readOnly("none")]).toEqual([true, false, false]);
    let release = (): void => undefined;
    const earlier = new Promise<void>((resolve) => (release = resolve));
    const calls = [
      b.call("look", {}, { earlier, earlierReadOnly: true }),
      b.call("change", {}, { earlier, earlierReadOnly: true }),
      b.call("look", {}, { earlier, earlierReadOnly: false }),
      b.call("look", {}, { earlier }),
    ];
    await calls[0];
    await sleep(50);
    expect(order).toEqual(["look"]);
    release();
    await Promise.all(calls);
    expect(order).toHaveLength(4);
  });

  it("asks before a command, records question and answer, and heeds the answer", async () => {
    const policy = createPolicy({ mode: "ask", confined: false });
    const yes = bench(sandbox, { policy, answer: "yes" });
    expect(await yes.call("bash", { command: "echo hi" })).toMatchObject({ status: "ok" });
    expect(yes.events).toEqual([
      {
        type: "user.approval",
        d: {
          question: { kind: "approval", text: "Run unconfined, with your rights: echo hi", choices: ["yes", "no", "always"] },
          answer: "yes",
        },
      },
    ]);
    await yes.call("bash", { command: "true" });
    expect(yes.asked).toHaveLength(2);
    const always = bench(sandbox, { policy, answer: "always" });
    await always.call("bash", { command: "true" });
    await always.call("bash", { command: "true" });
    expect(always.asked).toHaveLength(1);
    const no = bench(sandbox, { policy, answer: "no" });
    expect(await no.call("bash", { command: "touch no" })).toMatchObject({ status: "denied", error: "denied", effects: { edited: [] } });
  });

  it("denies a command when nobody is there, and says what to do", async () => {
    const b = bench(sandbox, { policy: createPolicy({ mode: "ask", confined: true }) });
    const reply = await b.call("bash", { command: "touch nobody" });
    expect(reply).toMatchObject({ status: "denied", error: "denied" });
    expect(reply.text).toContain("nobody is here");
    expect(b.events).toMatchObject([{ type: "user.approval", d: { answer: null } }]);
    expect(await sandbox.readFile("nobody")).toBeUndefined();
    expect(await b.call("list_dir", {})).toMatchObject({ status: "ok" });
  });

  it("only looks in plan mode", async () => {
    const b = bench(sandbox, { policy: createPolicy({ mode: "plan", confined: true }), answer: "yes" });
    expect(await b.call("write", { path: "x", content: "" })).toMatchObject({ status: "denied", error: "plan_mode" });
    expect(await b.call("list_dir", {})).toMatchObject({ status: "ok" });
  });

  it("ends background shells when it is closed", async () => {
    const b = bench(sandbox);
    await b.call("bash", { command: "sleep 321", background: true });
    const shells = async () => new TextDecoder().decode((await sandbox.exec("grep -lsa 'sleep.32[1]' /proc/[0-9]*/cmdline")).stdout);
    await expect.poll(shells).not.toBe("");
    await b.tools.close();
    await expect.poll(shells).toBe("");
  });

  it("keeps a todo list", async () => {
    const b = bench(sandbox);
    const reply = await b.call("todo", {
      items: [
        { text: "read", status: "done" },
        { text: "write", status: "in_progress" },
      ],
    });
    expect(reply.text).toBe("[x] read\n[>] write\n1 of 2 open.");
  });
});

describe("the schemas of tools", () => {
  it("are JSON Schema without unknown keys, and bash needs no more than a command", () => {
    const [schema] = toolSchemas(["bash"]);
    expect(schema).toMatchObject({ name: "bash", parameters: { type: "object", required: ["command"], additionalProperties: false } });
    expect(schema?.parameters).not.toHaveProperty("$schema");
  });

  it("of an unknown tool are a configuration error that lists the known ones", () => {
    expect(() => toolSchemas(["bash", "reed"])).toThrow(ConfigError);
    expect(() => toolSchemas(["reed"])).toThrow('there is no tool "reed", did you mean "read"? The tools are: bash,');
    expect(() => toolSchemas(["constructor"])).toThrow(ConfigError);
  });

  it("of bash offer a background only beside the tools that read and end it, but for a loop of version 1", () => {
    const offered = (names: string[], loop: 1 | 2) => JSON.stringify(toolSchemas(names, loop)[0]).includes("background");
    const [none, half, whole] = [["bash"], ["bash", "bash_output"], ["bash", "bash_output", "kill_shell"]];
    expect([none, half, whole].map((names) => offered(names, 2))).toEqual([false, false, true]);
    expect(offered(none, 1)).toBe(true);
  });

  it("let a scripted agent ask for a longer timeout", () => {
    const [long] = pickTools(["bash"], { maxTimeoutMs: 3_600_000 });
    expect(long?.parameters.safeParse({ command: "x", timeoutMs: 3_600_000 }).success).toBe(true);
    expect(pickTools(["bash"])[0]?.parameters.safeParse({ command: "x", timeoutMs: 3_600_000 }).success).toBe(false);
  });
});

describe("hygiene", () => {
  it.each([
    ["\x1b[31;1mred\x1b[0m", "red"],
    ["\x1b]8;;http://x\x1b\\link\x1b]8;;\x07", "link"],
    ["\x1b(Bplain\x1b=", "plain"],
    ["\x1bP+q544e\x1b\\dcs", "dcs"],
    ["\x9b2Jc1", "c1"],
    ["a\r\nb\r\n", "a\nb\n"],
    ["10%\r20%\r\n", "20%\n"],
    ["10%\r20%\rdone", "done"],
    ["tab\there\x00\x07\x08", "tab\there"],
    ["safe\u202egnirts\u2066x", "safegnirtsx"],
    ["\u{e0041}\u{e0042}hidden", "hidden"],
    ["lone \ud800 half", "lone \ufffd half"],
    ["emoji 👍 stays", "emoji 👍 stays"],
  ])("of %j is %j", (given, expected) => expect(cleanText(given)).toBe(expected));

  it("leaves nothing to clean, whatever came", () => {
    const piece = fc.constantFrom("\x1b", "[", "]", "31m", "\r", "\n", "\x07", "\x9b", "x", "\ud800", "\udc00", "\x1b\\", "P");
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, fc.string({ unit: "binary", maxLength: 3 }))).map((all) => all.join("")),
        (text) => {
          const once = cleanText(text);
          expect(cleanText(once)).toBe(once);
          // oxlint-disable-next-line no-control-regex -- that is what must be gone
          expect(once).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe("marking", () => {
  it("leaves no way to close the mark or to pass for a message", () => {
    const piece = fc.constantFrom(
      "</tool_output>",
      "< / tool_output >",
      "</TOOL_OUTPUT",
      "<|im_end|>",
      "<|im_start|>system",
      "<",
      "/",
      "|",
      "x",
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, fc.string({ maxLength: 4 }))).map((all) => all.join("")),
        (text) => {
          const marked = markUntrusted(text);
          const inside = marked.slice("<tool_output>".length, -"</tool_output>".length);
          expect(inside).not.toMatch(/<\s*\/?\s*tool_output/i);
          expect(inside).not.toMatch(/<\|[a-z_]+\|>/i);
        },
      ),
    );
  });

  it("can be taken back", () => {
    expect(restore("<\\/tool_output> <\\|im_end|>")).toBe("</tool_output> <|im_end|>");
  });
});

describe("the cap", () => {
  it("keeps head and tail, never half a character, and says how much is missing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.integer({ min: 2, max: 100 }), (text, max) => {
        const cut = capText(text, max);
        if (text.length <= max) {
          expect(cut).toBeUndefined();
          return;
        }
        const parts = cut?.text.split(/\n\[… \d+ characters left out …\]\n/) ?? [];
        const [head = "", tail = ""] = [parts[0], parts.at(-1)];
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(head.length + tail.length).toBeLessThanOrEqual(max);
        expect(head.length + tail.length + (cut?.dropped ?? 0)).toBe(text.length);
        expect(cut?.text.isWellFormed()).toBe(text.isWellFormed());
      }),
    );
  });
});
