import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { importRuns } from "../../../cli/traces/share/import-runs.ts";
import { listRuns } from "../../../cli/traces/list-runs.ts";
import type { ImportedSession } from "../../../traces/import/imported-session.ts";
import { keepSession } from "../../../traces/import/write/keep-session.ts";
import { partFolder } from "../../../traces/import/write/part-folder.ts";
import { readerOf } from "../../../traces/import/readers.ts";
import { refuseImported } from "../../../traces/read/imported.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { runOverview } from "../../../traces/read/run-overview.ts";
import { pinRun } from "../../../traces/format/pin.ts";
import { replaceTrace } from "../../../traces/keep/replace-trace.ts";
import { compressTrace } from "../../../traces/keep/compress-trace.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";
import { startLangSmithServer } from "../../servers/langsmith-server.ts";
import { said } from "../../cli/said.ts";

const root = mkdtempSync(join(tmpdir(), "forge-grown-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());
let made = 0;
const fresh = (): string => join(root, `${made++}`);

function write(path: string, content: unknown): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}
const claude = (type: "user" | "assistant", text: string, more: object = {}): string =>
  `${JSON.stringify({ type, sessionId: "s1", timestamp: "2026-01-01T10:00:00Z", ...more, message: { id: text, role: type, content: [{ type: "text", text }] } })}\n`;
const trajectory = (session: string, texts: readonly string[]): object => ({
  schema_version: "ATIF-v1.7",
  session_id: session,
  agent: { name: "a", version: "1" },
  steps: texts.map((message, i) => ({ step_id: i + 1, source: i === 0 ? "user" : "agent", message })),
});
const trial = { id: "t", task_name: "greet", trial_name: "greet__a", started_at: "2026-01-01T10:00:00Z", agent_info: { name: "a", version: "1" } }; // prettier-ignore
const llm = (id: string, outputs: object | null): object => ({
  id,
  trace_id: "10000000-0000-4000-9000-000000000000",
  run_type: "llm",
  inputs: { messages: [{ role: "user", content: "Weather?" }] },
  outputs,
  start_time: "2026-01-01T00:00:00",
});

/** Each source as it is at first and as it is later, and where it lies. */
const sources: Record<string, (at: string) => { readonly place: string; readonly grow: () => void }> = {
  "a session of Claude Code that went on": (at) => {
    const place = write(join(at, "s1.jsonl"), claude("user", "Look.") + claude("assistant", "I look."));
    return { place, grow: () => appendFileSync(place, claude("user", "And?") + claude("assistant", "Done.")) };
  },
  "a session of Claude Code whose subagent went on": (at) => {
    const place = write(join(at, "s1.jsonl"), claude("user", "Look.") + claude("assistant", "I look."));
    const side = { isSidechain: true, agentId: "x" };
    const agent = write(join(at, "s1", "subagents", "agent-x.jsonl"), claude("user", "Find it.", side));
    return { place, grow: () => appendFileSync(agent, claude("assistant", "Found.", side)) };
  },
  "a session of Codex that went on": (at) => {
    const line = (type: string, payload: object): string => `${JSON.stringify({ timestamp: "2026-01-01T10:00:00Z", type, payload })}\n`;
    const spoken = (role: string, text: string): string =>
      line("response_item", { type: "message", role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] });
    const place = write(
      join(at, "rollout-1.jsonl"),
      line("session_meta", { id: "c1" }) + spoken("user", "Look.") + spoken("assistant", "I look."),
    );
    return { place, grow: () => appendFileSync(place, spoken("user", "And?") + spoken("assistant", "Done.")) };
  },
  "a trajectory with more steps": (at) => {
    const place = write(join(at, "trajectory.json"), trajectory("t1", ["Look.", "I look."]));
    return { place, grow: () => void write(place, trajectory("t1", ["Look.", "I look.", "Done."])) };
  },
  "a trajectory whose second file got more steps": (at) => {
    const place = write(join(at, "trajectory.json"), { ...trajectory("t1", ["Look.", "I look."]), continued_trajectory_ref: "more.json" });
    write(join(at, "more.json"), trajectory("t1", ["And?"]));
    return { place, grow: () => void write(join(at, "more.json"), trajectory("t1", ["And?", "Done."])) };
  },
  "a trial of Harbor whose agent wrote its trajectory later": (at) => {
    write(join(at, "greet__a", "result.json"), trial);
    return { place: at, grow: () => void write(join(at, "greet__a", "agent", "trajectory.json"), trajectory("t1", ["Greet.", "Done."])) };
  },
  "a trial of Harbor that was judged later": (at) => {
    const file = write(join(at, "greet__a", "result.json"), trial);
    write(join(at, "greet__a", "agent", "trajectory.json"), trajectory("t1", ["Greet.", "Done."]));
    return { place: at, grow: () => void write(file, { ...trial, verifier_result: { rewards: { reward: 1 } } }) };
  },
  "steps of a run that went on": (at) => {
    const run = (n: number): object => ({ task: "t", agent: "a", instruction: "Look.", steps: Array.from({ length: n }, (_, i) => ({ i: i + 1, thought: `I look ${i}.` })) }); // prettier-ignore
    const place = write(join(at, "look", "steps.json"), run(1));
    return { place, grow: () => void write(place, run(2)) };
  },
  "steps of a run that was judged later": (at) => {
    const run = { task: "t", agent: "a", instruction: "Look.", steps: [{ i: 1, thought: "I look." }] };
    const place = write(join(at, "look", "steps.json"), run);
    return { place, grow: () => void write(place, { ...run, passed: false, verifier: "no" }) };
  },
  "a trial of Terminal-Bench with one more episode": (at) => {
    write(join(at, "greet.1", "results.json"), { task_id: "greet", trial_name: "greet.1-of-1.run", instruction: "Greet." });
    const episode = (n: number): void => {
      write(join(at, "greet.1", "agent-logs", `episode-${n}`, "prompt.txt"), n === 0 ? "Greet." : "And?");
      write(join(at, "greet.1", "agent-logs", `episode-${n}`, "response.txt"), "Done.");
    };
    episode(0);
    return { place: at, grow: () => episode(1) };
  },
};

async function importedOnce(place: string, out: string) {
  const { code, lines, out: text } = await said(() => importRuns([place], { out, json: true }));
  return { code, text, run: lines[0] ?? {}, summary: lines.at(-1) ?? {} };
}

describe("a source that has grown since it was imported", () => {
  it.each(Object.keys(sources))("is imported again, and said to be: %s", async (name) => {
    const [at, out] = [fresh(), fresh()];
    const { place, grow } = sources[name]?.(at) ?? { place: "", grow: () => undefined };
    const first = await importedOnce(place, out);
    expect(first).toMatchObject({ code: 0, run: { new: true, replaced: null } });
    expect((await importedOnce(place, out)).summary).toMatchObject({ imported: 0, replaced: 0, there: 1, failed: 0 });
    grow();
    const second = await importedOnce(place, out);
    expect(second).toMatchObject({ code: 0, run: { new: true, replaced: { why: "grown", events: first.run["events"] } } });
    expect(second.summary).toMatchObject({ imported: 0, replaced: 1, there: 0, failed: 0 });
    const folder = String(second.run["run"]);
    expect((await loadTrace(folder)).events.length).toBe(second.run["events"]);
    await verifyTrace(folder);
    expect((await said(() => listRuns([out], { json: true }))).lines).toHaveLength(1);
    expect((await importedOnce(place, out)).summary).toMatchObject({ there: 1 });
  });

  it("is one of LangSmith that had not ended: the finished trace takes its place, with a sentence", async () => {
    const server = await startLangSmithServer("a key");
    try {
      vi.stubEnv("LANGSMITH_API_KEY", "a key");
      vi.stubEnv("LANGSMITH_ENDPOINT", server.url);
      const [id, out] = ["10000000-0000-4000-9000-000000000000", fresh()];
      server.add("mine", { ...llm(id, null), dotted_order: "1" });
      await said(() => importRuns(["langsmith:mine"], { out }));
      expect(await runOverview(join(out, id))).toMatchObject({ state: "sealed", task: "Weather?" });
      server.add("mine", { ...llm(id, { choices: [{ message: { role: "assistant", content: "Rain." } }] }), dotted_order: "1", end_time: "2026-01-01T00:00:01" }); // prettier-ignore
      const again = await said(() => importRuns(["langsmith:mine"], { out }));
      expect(again.code).toBe(0);
      expect(again.out).toMatch(/: 1 turn, \d+ events; its source has grown: it takes the place of the \d+ events imported before\n$/);
      expect((await loadTrace(join(out, id))).events.at(-1)?.d).toMatchObject({ answer: "Rain." });
      const [passed, style] = [
        { n: 1, avg: 1 },
        { n: 1, avg: 0.5 },
      ];
      server.add("mine", { ...server.runs.get(id), feedback_stats: { passed, style } });
      await said(() => importRuns(["langsmith:mine"], { out }));
      expect(await runOverview(join(out, id))).toMatchObject({ passed: true });
      server.add("mine", { ...server.runs.get(id), feedback_stats: { style, passed } }); // a server may say it in any order
      const same = await said(() => importRuns(["langsmith:mine"], { out, json: true }));
      expect(same.lines.at(-1)).toMatchObject({ replaced: 0, there: 1 });
    } finally {
      await server.close();
    }
  });

  it("leaves what others keep beside the trace, and takes the place of a compressed one too", async () => {
    const [at, out] = [fresh(), fresh()];
    const place = write(join(at, "t.json"), trajectory("t1", ["Look.", "I look."]));
    const folder = String((await importedOnce(place, out)).run["run"]);
    await compressTrace(folder);
    writeFileSync(join(folder, "mine.txt"), "a word");
    write(place, trajectory("t1", ["Look.", "I look.", "Done."]));
    expect(await importedOnce(place, out)).toMatchObject({ code: 0, run: { replaced: { why: "grown" } } });
    expect(readdirSync(folder).toSorted()).toEqual(["mine.txt", "seal.json", "trace.jsonl"]);
    expect(readdirSync(out)).toEqual(["t"]);
  });

  it("is refused where what was imported is pinned, is of another run, or tells more: that stays, and nothing lies beside it", async () => {
    const [at, out] = [fresh(), fresh()];
    const place = write(join(at, "t.json"), trajectory("t1", ["Look.", "I look.", "Done."]));
    const folder = String((await importedOnce(place, out)).run["run"]);
    const before = readFileSync(join(folder, "trace.jsonl"));
    for (const [content, code, text] of [
      [trajectory("t1", ["Look."]), 2, "its source has only"],
      [trajectory("t2", ["Look.", "I look.", "Done.", "Really."]), 2, "is another run"],
      [trajectory("t1", ["Sing.", "I sing.", "La.", "La."]), 2, "is another run"],
      [trajectory("", ["Look.", "I look.", "Done.", "Really."]), 2, "is another run"],
    ] as const) {
      write(place, content);
      expect(await importedOnce(place, out)).toMatchObject({ code, text: expect.stringContaining(text) as unknown });
    }
    pinRun(folder, { pinned: true, now: 0 });
    write(place, trajectory("t1", ["Look.", "I look.", "Done.", "Really."]));
    expect(await importedOnce(place, out)).toMatchObject({ code: 3, text: expect.stringContaining("is pinned and stays") as unknown });
    expect(readFileSync(join(folder, "trace.jsonl")).equals(before)).toBe(true);
    expect(readdirSync(out)).toEqual(["t"]);
  });
});

describe("an import that was broken off", () => {
  it("is done anew: what it left is no run of its own, and half a trace is not taken for the whole one", async () => {
    const [at, out] = [fresh(), fresh()];
    const place = write(join(at, "t.json"), trajectory("t1", ["Look.", "I look."]));
    const { pid } = spawnSync("true");
    const mine = basename(partFolder(fresh()).part);
    const [ended, living] = [join(out, mine.replace(`-${process.pid}-`, `-${pid}-`)), join(out, mine)];
    for (const left of [ended, living]) {
      mkdirSync(left, { recursive: true });
      writeFileSync(join(left, "trace.jsonl"), '{"v":1,');
    }
    const folder = String((await importedOnce(place, out)).run["run"]);
    expect([existsSync(ended), existsSync(living)]).toEqual([false, true]);
    const lines = readFileSync(join(folder, "trace.jsonl"), "utf8").split("\n");
    rmSync(join(folder, "seal.json"));
    writeFileSync(join(folder, "trace.jsonl"), `${lines.slice(0, 2).join("\n")}\n`);
    expect(await importedOnce(place, out)).toMatchObject({ code: 0, run: { replaced: { why: "broken off" } } });
    expect(readFileSync(join(folder, "trace.jsonl"), "utf8").split("\n")).toHaveLength(lines.length);
  });

  it("is none where another import of the same run goes on at the same time", async () => {
    const [at, out] = [fresh(), fresh()];
    const place = write(join(at, "t.json"), trajectory("t1", ["Look.", "I look."]));
    const sessions: ImportedSession[] = [];
    for await (const session of (await readerOf(place, undefined, () => ({ url: "", key: "" }))).read(place))
      if (!(session instanceof Error)) sessions.push(session);
    const [session] = sessions;
    if (!session) throw new Error("no session");
    const kept = await Promise.all([1, 2, 3].map(() => keepSession(session, { folder: join(out, "t"), redact: (text) => text })));
    expect(kept.filter(({ written }) => written)).toHaveLength(1);
    await verifyTrace(join(out, "t"));
    expect(readdirSync(out)).toEqual(["t"]);
  });

  it("leaves the trace that was there where the new one cannot be put in its place", async () => {
    const [at, out] = [fresh(), fresh()];
    const place = write(join(at, "t.json"), trajectory("t1", ["Look.", "I look."]));
    const folder = String((await importedOnce(place, out)).run["run"]);
    const before = readFileSync(join(folder, "trace.jsonl"), "utf8");
    const [part, aside] = [join(out, ".new"), join(out, ".old")];
    write(join(part, "trace.jsonl"), "new");
    write(join(part, "in-the-way"), "a file");
    write(join(folder, "in-the-way", "mine.txt"), "a word"); // no file can take the place of a folder
    expect(() => replaceTrace(folder, { part, aside })).toThrow("in-the-way");
    expect(readFileSync(join(folder, "trace.jsonl"), "utf8")).toBe(before);
    await verifyTrace(folder);
    expect([existsSync(aside), readFileSync(join(part, "trace.jsonl"), "utf8")]).toEqual([false, "new"]);
  });
});

describe("what a source says of itself", () => {
  it("does not make an imported run pass for one of Forge's", async () => {
    const [at, out] = [fresh(), fresh()];
    const place = write(join(at, "t.json"), { ...trajectory("t1", ["Look."]), format: 1, sha256: 2, replayable: true });
    const folder = String((await importedOnce(place, out)).run["run"]);
    const { events } = await loadTrace(folder);
    expect(() => refuseImported(events[0])).toThrow("was imported (atif)");
    expect((await importedOnce(place, out)).summary).toMatchObject({ there: 1 });
  });

  it.each(["trace", "trial", "session", "startedAt"])("neither tells nor hides which run it is by a field %s of its own", async (field) => {
    for (const value of ["", "same", { a: 1 }]) {
      const [at, out] = [fresh(), fresh()];
      const place = write(join(at, "t.json"), { ...trajectory("t1", ["Look."]), [field]: value });
      await importedOnce(place, out);
      write(place, { ...trajectory("t2", ["Look.", "I look."]), [field]: value });
      expect(await importedOnce(place, out)).toMatchObject({ code: 2, text: expect.stringContaining("is another run") as unknown });
      write(place, { ...trajectory("t1", ["Look.", "I look."]), [field]: "other" });
      expect(await importedOnce(place, out)).toMatchObject({ code: 0, run: { replaced: { why: "grown" } } });
    }
  });
});
