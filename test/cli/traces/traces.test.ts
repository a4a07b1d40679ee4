import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listForks, listRuns } from "../../../cli/traces/list-runs.ts";
import { pruneRuns } from "../../../cli/traces/keep/prune-runs.ts";
import { showRun } from "../../../cli/traces/show-run.ts";
import { tailRun } from "../../../cli/traces/tail-run.ts";
import { traceStats } from "../../../cli/traces/trace-stats.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { runFixture } from "../../../testing.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import { said } from "../said.ts";

const root = mkdtempSync(join(tmpdir(), "forge-traces-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Clears the screen, sets the title, colours, turns the direction round, hides, and begins a line that looks like ours. */
const attack = "\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\u200b\r\nturn 9  all passed \u001b[8m";
const obeyed = /[^\P{C}\n\t]/u;

function write(name: string, events: readonly RunEvent[], at: number): string {
  const folder = join(root, name);
  const trace = recordTrace(folder, { clock: { now: () => at, sleep: async () => undefined }, micros: () => 0, sync: false });
  for (const event of events) trace.emit(event);
  trace.evidence("verifier.result", { rewards: { [attack]: 1 }, passed: false });
  trace.seal(null);
  return folder;
}

let [hostile, plain] = ["", ""];
beforeAll(async () => {
  const script = [{ text: `I look. ${attack}`, calls: [{ name: "bash", args: { command: `ls ${attack}` } }] }, { text: attack }];
  const { events } = await runFixture({ script, exec: () => attack, task: attack });
  const changed = events.map((event) => {
    if (event.t !== "run.start") return event;
    const config = event.d["config"] as JsonObject; // what a run records
    const trial = { task: attack, configuration: attack, repeat: 1, attempt: 1 };
    const parent = { run: attack, start: attack, step: 1 };
    return {
      ...event,
      d: { ...event.d, config: { ...config, name: attack, model: { name: attack } }, meta: { trial, parent, agent: attack } },
    };
  });
  hostile = write(
    `a${"\u001b[2J"}`,
    [...changed, { t: attack as "note", lane: attack, n: 0, cause: [], d: { [attack]: attack } }],
    2_000_000_000_000,
  );
  plain = write("b", (await runFixture({ script: [{ text: "the end" }] })).events, 1_000_000_000_000);
});

describe("forge traces", () => {
  it("counts a run once, though the folders that were named overlap", async () => {
    const one = await said(() => traceStats([root], { json: true }));
    const twice = await said(() => traceStats([root, plain, `${root}/.`], { json: true }));
    expect(twice.lines).toEqual(one.lines);
    const { lines } = await said(() => pruneRuns([root, plain], { keep: 1, dryRun: true, json: true }));
    expect(lines.at(-1)).toMatchObject({ type: "summary", runs: 2, removed: 2 });
  });

  it("lets no text of a run steer the terminal or pass for a line of ours, in any of its views", async () => {
    const views = [
      () => listRuns([root], {}),
      () => listForks([root], {}),
      () => showRun(hostile, {}),
      () => showRun(hostile, { full: true }),
      () => showRun(hostile, { step: 1 }),
      () => showRun(hostile, { grep: "LOOK" }),
      () => traceStats([root], {}),
      () => tailRun(hostile, {}),
      () => pruneRuns([root], { keep: 1, dryRun: true }),
    ];
    for (const view of views) {
      const { out, code } = await said(view);
      expect(code).toBe(0);
      expect(out).not.toMatch(obeyed);
      expect(out).not.toMatch(/^turn 9/m);
    }
    for (const json of [
      () => listRuns([root], { json: true }),
      () => showRun(hostile, { json: true, full: true }),
      () => tailRun(hostile, { json: true }),
      () => traceStats([root], { json: true }),
      () => listForks([root], { json: true, all: true }),
    ]) {
      const { out, lines } = await said(json);
      expect(out.replaceAll("\n", "")).not.toMatch(obeyed);
      expect(lines).toHaveLength(out.trimEnd().split("\n").length);
    }
  });

  it("lists the newest run first, as many as asked for", async () => {
    const { lines } = await said(() => listRuns([root], { json: true }));
    expect(lines.map(({ folder }) => folder)).toEqual([hostile, plain]);
    const { out } = await said(() => listRuns([root], { limit: 1 }));
    expect(out).toContain("… 1 older run: -n ");
  });

  it("shows the turns, one turn, or the events that fit, and says 1 when none does", async () => {
    const { lines } = await said(() => showRun(hostile, { json: true }));
    expect(lines.map(({ type, turn }) => [type, turn])).toEqual([
      ["run", undefined],
      ["turn", 0],
      ["turn", 1],
      ["turn", 2],
    ]);
    expect(lines[2]).toMatchObject({ calls: 1 });
    const calls = await said(() => showRun(hostile, { type: ["tool.call", "tool.result"], json: true }));
    expect(calls.lines.slice(1).map(({ event }) => (event as RunEvent).t)).toEqual(["tool.call", "tool.result"]);
    expect((await said(() => showRun(plain, { grep: "THE END" }))).code).toBe(0);
    expect((await said(() => showRun(plain, { grep: "nowhere" }))).code).toBe(1);
    await expect(showRun(plain, { step: 7 })).rejects.toThrow(/There is no turn 7 in .*: its last one is 1\./);
    await expect(showRun(root, {})).rejects.toThrow(/holds 2 runs; name one of them/);
  });

  it("prunes only what it was told to, and only says so when it is a dry run", async () => {
    await expect(pruneRuns([root], {})).rejects.toMatchObject({ exitCode: 2 });
    const { lines } = await said(() => pruneRuns([root], { largerThan: 1, dryRun: true, json: true }));
    expect(lines.at(-1)).toMatchObject({ type: "summary", runs: 2, removed: 2, dryRun: true });
    expect((await said(() => listRuns([root], { json: true }))).lines).toHaveLength(2);
  });

  it("prunes no run that is damaged where no overview looks, since it may be all that is left of it", async () => {
    const hurt = join(root, "..", `${basename(root)}-hurt`);
    cpSync(plain, hurt, { recursive: true });
    const trace = join(hurt, "trace.jsonl");
    writeFileSync(trace, readFileSync(trace, "utf8").replace('"ts":1', '"ts":2'));
    try {
      const { code, lines } = await said(() => pruneRuns([hurt], { largerThan: 1, json: true }));
      expect([code, lines[0]]).toEqual([
        4,
        expect.objectContaining({ verdict: "cannot", text: expect.stringContaining("is damaged at byte") }),
      ]);
      expect(existsSync(trace)).toBe(true);
    } finally {
      rmSync(hurt, { recursive: true });
    }
  });
});
