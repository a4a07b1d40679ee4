import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { importRuns } from "../../../cli/traces/share/import-runs.ts";
import { listRuns } from "../../../cli/traces/list-runs.ts";
import { showRun } from "../../../cli/traces/show-run.ts";
import { traceStats } from "../../../cli/traces/trace-stats.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { lacksExitCode, notKnownIn, notKnownWords, sourceStep } from "../../../traces/read/imported.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";
import { said } from "../../cli/said.ts";
import { canaries, secretParts } from "../canaries.ts";
import { draws } from "../../needs.ts";

const root = mkdtempSync(join(tmpdir(), "forge-steps-"));
beforeAll(() => void vi.stubEnv("CANARY_TOKEN", canaries["environment"] ?? ""));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});
let made = 0;
const fresh = (): string => join(root, `${made++}`);

const run = { task: "greet", agent: "other-agent", instruction: "Write hello.txt." };
const bash = (i: number, command: string, more: object = {}): object => ({ i, action: { tool: "bash", args: { command } }, ...more });

function write(file: string, content: unknown): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content));
  return file;
}

async function imported(content: object): Promise<{ folder: string; events: readonly RunEvent[] }> {
  const at = fresh();
  const { code, lines, out } = await said(() => importRuns([write(join(at, "greet", "steps.json"), content)], { out: join(at, "out"), json: true })); // prettier-ignore
  if (code !== 0) throw new Error(out);
  const folder = String(lines[0]?.["run"]);
  await verifyTrace(folder);
  return { folder, events: (await loadTrace(folder)).events };
}
const bytesBelow = (folder: string): Buffer =>
  Buffer.concat(readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name))] : []))); // prettier-ignore
const of = (events: readonly RunEvent[], t: string): RunEvent[] => events.filter((event) => event.t === t);

async function refused(content: unknown): Promise<{ code: number; text: string }> {
  const { code, lines } = await said(() => importRuns([write(join(fresh(), "steps.json"), content)], { out: fresh(), format: "steps", json: true })); // prettier-ignore
  return { code, text: String(lines[0]?.["text"]) };
}

describe("a run as steps", () => {
  it("keeps the source's own step numbers on every event that is made of a step", async () => {
    const { events } = await imported({
      ...run,
      steps: [
        bash(3, "ls", { thought: "I look.", call: "1/2", observation: "", exit_code: 0 }),
        bash(4, "cat a", { call: "2/2", observation: "no such file", exit_code: 1 }),
        { i: 7, source: "harness", text: "Two calls are left." },
        { i: 9, thought: "Done." },
      ],
    });
    expect(events.map((event) => [event.t, sourceStep(event)]).filter(([t]) => t !== "model.request" && t !== "note")).toEqual([
      ["run.start", undefined],
      ["model.response", 3],
      ["tool.call", 3],
      ["tool.call", 4],
      ["tool.result", 3],
      ["tool.result", 4],
      ["user.input", 7],
      ["model.response", 9],
      ["run.end", undefined],
    ]);
    expect(of(events, "run.end")[0]?.d).toMatchObject({ outcome: { type: "done" }, answer: "Done." });
    expect(of(events, "tool.result").map(({ d }) => d["reply"])).toMatchObject([{ status: "ok", content: [] }, { status: "error" }]);
  });

  it("takes steps of one turn for calls of one reply, a text for a command, and a command beside other arguments too", async () => {
    const { events } = await imported({
      ...run,
      steps: [
        { i: 1, turn: 0, action: "ls" },
        { i: 2, turn: 0, action: { tool: "exec", args: { timeout: 5 }, command: "make" } },
        { i: 3, turn: 1, action: "" },
        { i: 4, thought: "No call.", observation: "Write a command." },
      ],
    });
    expect(of(events, "tool.call").map(({ d }) => d["call"])).toMatchObject([
      { name: "bash", args: { command: "ls" } },
      { name: "exec", args: { timeout: 5, command: "make" } },
    ]);
    expect(of(events, "model.response")).toHaveLength(3);
    expect(of(events, "user.input")[0]?.d).toMatchObject({ text: "Write a command.", source: { step: 4 } });
  });

  it("has the verdict, the rewards and the verifier's whole report", async () => {
    const report = "expected hello\n".repeat(2000);
    const { events } = await imported({ ...run, passed: false, reward: 0, rewards: { style: 0.5 }, verifier: report, steps: [] });
    expect(of(events, "verifier.result")[0]?.d).toEqual({ rewards: { style: 0.5, reward: 0 }, passed: false, report });
    const open = await imported({ ...run, verifier: "no verdict", steps: [] });
    expect(of(open.events, "verifier.result")).toEqual([]);
    expect(of(open.events, "note")[0]?.d).toMatchObject({ record: { report: "no verdict" } });
  });

  it.each([
    ["Submitted", { type: "done" }],
    ["limit turns", { type: "limit", limit: "turns" }],
    ["AgentTimeoutError: 900 s", { type: "limit", limit: "activeMs" }],
    ["CancelledError: ", { type: "cancelled" }],
    ["RuntimeError: no shell", { type: "error", kind: "agent", message: "RuntimeError: no shell" }],
    ["no reward was written", { type: "cancelled", reason: "how the run ended is not known" }],
  ])("that ended with %j ends so", async (ended, outcome) => {
    const { events } = await imported({ ...run, ended, steps: [bash(1, "ls", { observation: "a" })] });
    expect(of(events, "run.end")[0]?.d["outcome"]).toMatchObject(outcome);
  });

  it("never has what somebody says of its failure, whatever it is: those fields and folders are not read", async () => {
    const at = fresh();
    const labelled = { ...run, known: { cause: "label-text" }, known_cause: "label-text", steps: [{ i: 1, thought: "I look.", known: "label-text", mood: "kept-text" }] }; // prettier-ignore
    write(join(at, "runs", "a", "steps.json"), labelled);
    write(join(at, "runs", "failure_reports", "b", "steps.json"), { ...run, steps: [] });
    const { lines } = await said(() => importRuns([join(at, "runs")], { out: join(at, "out"), json: true }));
    expect(lines.at(-1)).toMatchObject({ imported: 1, failed: 0 });
    expect([bytesBelow(join(at, "out")).includes("label-text"), bytesBelow(join(at, "out")).includes("kept-text")]).toEqual([false, true]);
  });

  it("loses its secrets like every trace, those of the report and of a sentence about it too", async () => {
    const secret = Object.values(canaries).join("\n");
    const steps = [bash(1, secret, { thought: secret, observation: secret }), { i: 2, source: "user", text: secret }];
    const { folder } = await imported({ ...run, instruction: secret, passed: false, verifier: secret, config: { secret }, steps, other: secret }); // prettier-ignore
    for (const part of secretParts) expect(bytesBelow(folder).includes(part)).toBe(false);
    for (const canary of Object.values(canaries)) {
      const { code, text } = await refused({ ...run, steps: canary });
      expect(code).toBe(4);
      for (const part of secretParts) expect(text).not.toContain(part);
    }
  });

  it("is named after its folder however it is given, so that it is imported once", async () => {
    const at = fresh();
    const file = write(join(at, "runs", "one", "steps.json"), { ...run, steps: [] });
    write(join(at, "runs", "two.steps.json"), { ...run, steps: [] });
    const out = join(at, "out");
    for (const place of [join(at, "runs"), `${join(at, "runs")}/`, join(at, "runs", "one"), file])
      expect((await said(() => importRuns([place], { out }))).code).toBe(0);
    const { lines } = await said(() => listRuns([out], { json: true }));
    expect(lines.map(({ folder }) => String(folder)).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([join(out, "one"), join(out, "two")]);
  });
});

describe("what a run as steps cannot tell", () => {
  const bare = {
    ...run,
    steps: [bash(1, "ls", { observation: "a" }), bash(2, "cat a", { observation: "b", exit_code: 0 }), bash(3, "rm a")],
  };
  const full = {
    ...run,
    model: "p/m",
    passed: true,
    reward: 1,
    verifier: "1 passed",
    ended: "done",
    started_at: "2026-01-01T10:00:00Z",
    usage: { n_input_tokens: 1000, n_output_tokens: 20, n_cache_tokens: 500, cost_usd: 0.25 },
    steps: [bash(1, "ls", { observation: "a", exit_code: 0 })],
  };

  it("is named in the run's first event, and what it can tell is not", async () => {
    const never = ["effects", "checks", "tools", "tokens", "cost", "time"];
    const first = (events: readonly RunEvent[]): string[] => [...notKnownIn(events[0]?.d["meta"])];
    expect(first((await imported(bare)).events)).toEqual(Object.keys(notKnownWords));
    const { events } = await imported(full);
    expect(first(events)).toEqual(never);
    expect(of(events, "run.end")[0]?.d["spent"]).toMatchObject({ input: 1000, output: 20, cached: 500, costUsd: 0.25 });
  });

  it("is null for the exit code of a call, and no result where nothing of it is known", async () => {
    const { events } = await imported(bare);
    expect(of(events, "tool.result").map((event) => [sourceStep(event), lacksExitCode(event)])).toEqual([
      [1, true],
      [2, false],
    ]);
    expect(of(events, "tool.call")).toHaveLength(3);
  });

  it("is shown as not known by list, show and stats, never as none", async () => {
    const { folder } = await imported(bare);
    const list = (await said(() => listRuns([folder], {}))).out;
    expect(list).toMatch(/greet +other-agent +– +its end is not known +3 +–/);
    expect(list).not.toMatch(/0\/0|n\/a|0\.0 s/);
    const show = (await said(() => showRun(folder, {}))).out.replaceAll(/\n +/g, " ");
    expect(show).toContain(`imported; not known: ${Object.values(notKnownWords).join(", ")}`);
    expect(show).toContain("step 2 of its source");
    expect(show).toContain("→ exit code not known");
    expect(show).toContain("how is not known; 3 turns, tokens not known, cost not known, time not known");
    expect(show).not.toMatch(/0\/0|n\/a|0\.0 s/);
    const stats = await said(() => traceStats([folder], { json: true }));
    expect(stats.lines[0]).toMatchObject({ notKnown: { tokens: 1, verdict: 1 }, tools: [{ byStatus: { ok: 1, "not known": 1 } }] });
    expect((await said(() => traceStats([folder], {}))).out).toMatch(/tokens not known.*time not known/);
  });

  it("is not said of what the source tells: its sums are those of list and stats", async () => {
    const { folder } = await imported(full);
    expect((await said(() => listRuns([folder], {}))).out).toMatch(/passed +1 /);
    const { lines } = await said(() => traceStats([folder], { json: true }));
    expect(lines[0]).toMatchObject({ input: 1000, output: 20, costUsd: 0.25, unpriced: 0, passed: 1 });
  });

  it("is nothing of a run of which a source claims it", async () => {
    const file = write(join(fresh(), "trajectory.json"), { schema_version: "ATIF-v1.7", agent: { name: "a", version: "1" }, notKnown: ["tokens"], steps: [{ step_id: 1, source: "user", message: "Do." }] }); // prettier-ignore
    const { lines } = await said(() => importRuns([file], { out: fresh(), json: true }));
    const { events } = await loadTrace(String(lines[0]?.["run"]));
    expect(notKnownIn(events[0]?.d["meta"]).size).toBe(0);
  });
});

describe("a file that is no run as steps", () => {
  const step = { i: 1, thought: "I look." };
  it.each([
    [{ ...run, task: undefined, steps: [] }, "task: expected a string that is not empty, got nothing"],
    [{ ...run, instruction: "", steps: [] }, 'instruction: expected a string that is not empty, got ""'],
    [run, "steps: expected a list, got nothing"],
    [{ ...run, passed: "no", steps: [] }, 'passed: expected true or false or null, got "no"'],
    [{ ...run, steps: [step, { thought: "x" }] }, "steps[1].i: expected a whole number ≥ 0, got nothing"],
    [{ ...run, steps: [{ ...step, exit_code: "one" }] }, 'steps[0].exit_code: expected a whole number or null, got "one"'],
    [{ ...run, steps: [{ ...step, t: "yesterday" }] }, "steps[0].t: expected"],
    [{ ...run, steps: [{ ...step, t: 1767225600000 }] }, "steps[0].t: expected"],
    [{ ...run, steps: [{ ...step, action: { args: {} } }] }, "steps[0].action.tool: expected a string that is not empty, got nothing"],
    [{ ...run, steps: [{ ...step, action: { tool: "f", args: "x" } }] }, 'steps[0].action.args: expected a mapping of keys to values or null, got "x"'], // prettier-ignore
    [{ ...run, steps: [step, { i: 2 }, { i: 1 }] }, "steps[2].i: 1 is the number of steps[0] too; number the steps upwards"],
    [{ ...run, steps: [{ i: 5 }, { i: 2 }] }, "steps[1].i: 2 comes after 5; number the steps upwards"],
    [{ ...run, steps: Array.from({ length: 20_001 }, (_, i) => ({ i })) }, "steps: 20001 of them, and a run may have 20000; make several"],
    ['{"task": "t",\n"agent": }', 'line 2, column 10: no JSON from "}" on; write'],
    ['{"task": "t",\n"agent":', "line 2, column 9: the file is cut off here; write"],
    ["[]", "expected a mapping of keys to values, got []"],
    [Buffer.from('{"task": "caf\xe9"}', "latin1"), "byte 13 (0xe9) is no UTF-8; write the file as UTF-8"],
  ])("is refused with the place, the value and the cure (%#)", async (content, words) => {
    const { code, text } = await refused(content);
    expect(text).toContain(words);
    expect(text).toMatch(/\.$/);
    expect(text.split("\n")).toHaveLength(1);
    expect(code).toBe(/20001/.test(words) ? 3 : 4);
  });

  it("is refused as a link, and a link in a folder is not followed", async () => {
    const at = fresh();
    const file = write(join(at, "there", "steps.json"), { ...run, steps: [] });
    mkdirSync(join(at, "runs"));
    symlinkSync(file, join(at, "runs", "steps.json"));
    for (const [place, words] of [
      [join(at, "runs", "steps.json"), "is a link, and links are not followed"],
      [join(at, "runs"), "holds no run that the reader for steps knows"],
    ] as const) {
      const { code, lines } = await said(() => importRuns([place], { out: fresh(), format: "steps", json: true }));
      expect([code, lines[0]?.["text"]]).toEqual([3, expect.stringContaining(words)]);
    }
  });
});

describe("any run as steps", () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), fc.constantFrom("\u001b[2J", "\u2028", "{}", "", "\0\0"));
  const maybe = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> => fc.option(fc.option(one, { nil: undefined }));
  const action = fc.oneof(text, fc.record({ tool: fc.string({ minLength: 1 }), args: maybe(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))), command: maybe(text) })); // prettier-ignore
  const step = fc.record({ thought: maybe(text), reasoning: maybe(text), action: maybe(action), observation: maybe(text), exit_code: maybe(fc.integer({ min: -1, max: 255 })), turn: maybe(fc.nat(3)), text: maybe(text), stop: maybe(text), odd: maybe(fc.jsonValue({ maxDepth: 2 })) }); // prettier-ignore

  it("becomes a whole trace with each of its step numbers once or more, each call with the exit code that is known, and its verdict", async () => {
    const runs = fc.record({ steps: fc.array(step, { maxLength: 8 }), gaps: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 8, maxLength: 8 }), passed: maybe(fc.boolean()), verifier: maybe(text), ended: maybe(text), more: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })) }); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(runs, async ({ steps, gaps, more, ...rest }) => {
        let i = 0;
        const numbered = steps.map((one, at) => ({ ...one, i: (i += gaps[at] ?? 1) }));
        const source = JSON.parse(JSON.stringify({ ...more, ...rest, ...run, model: null, agent_version: null, config: null, usage: null, preamble: null, preamble_system: null, reward: null, rewards: null, run: null, started_at: null, finished_at: null, steps: numbered })) as { steps: typeof numbered; passed?: boolean | null }; // prettier-ignore
        const { events } = await imported(source);
        const found = new Set(events.flatMap((event) => sourceStep(event) ?? []));
        expect([...found].toSorted((a, b) => a - b)).toEqual(source.steps.map((one) => one.i));
        const calls = source.steps.filter((one) => (one.action ?? "") !== "");
        expect(of(events, "tool.call").map(sourceStep)).toEqual(calls.map((one) => one.i));
        for (const event of of(events, "tool.result")) {
          const from = calls.find((one) => one.i === sourceStep(event));
          expect(event.d["source"]).toMatchObject({ exitCode: from?.exit_code ?? null });
        }
        expect(of(events, "verifier.result").map(({ d }) => d["passed"])).toEqual(
          typeof source.passed === "boolean" ? [source.passed] : [],
        );
      }),
      { numRuns: draws(150) },
    );
  });

  it("steers no terminal", async () => {
    const hostile = "\u001b]0;mine\u0007\u202e";
    const { folder } = await imported({ ...run, task: hostile, agent: hostile, model: hostile, ended: hostile, passed: false, verifier: hostile, steps: [bash(1, hostile, { thought: hostile, observation: hostile })] }); // prettier-ignore
    for (const act of [() => listRuns([folder], {}), () => showRun(folder, { full: true }), () => traceStats([folder], {})])
      for (const piece of ["\u0007", "\u202e", "\u001b]"]) expect((await said(act)).out).not.toContain(piece);
  });
});

describe("the page of the form", () => {
  const page = readFileSync(new URL("../../../docs/steps-format.md", import.meta.url), "utf8");
  it("has an example that is imported, and names every word for what is not known", async () => {
    const [, example = ""] = /```json\n(\{\n {2}"task"[\s\S]*?\n\})\n```/.exec(page) ?? [];
    const { events } = await imported(JSON.parse(example) as object);
    expect(of(events, "verifier.result")).toHaveLength(1);
    for (const word of Object.keys(notKnownWords)) expect(page).toContain(`\`${word}\``);
  });
});
