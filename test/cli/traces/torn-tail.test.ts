import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { diffRuns } from "../../../cli/traces/diff-runs.ts";
import { listForks, listRuns } from "../../../cli/traces/list-runs.ts";
import { dryReplay } from "../../../cli/replay/dry-replay.ts";
import { exportRuns } from "../../../cli/traces/share/export-runs.ts";
import { recoverRuns } from "../../../cli/traces/keep/keep-traces.ts";
import { pruneRuns } from "../../../cli/traces/keep/prune-runs.ts";
import { replay } from "../../../cli/replay/replay-runs.ts";
import { searchRuns } from "../../../cli/traces/search-runs.ts";
import { showRun } from "../../../cli/traces/show-run.ts";
import { tailRun } from "../../../cli/traces/tail-run.ts";
import { traceStats } from "../../../cli/traces/trace-stats.ts";
import { ForgeError } from "../../../harness/errors.ts";
import { thisOwner } from "../../../harness/sandbox/owner.ts";
import { createPlaces } from "../../../reports/viewer/places.ts";
import { runAnswer } from "../../../reports/viewer/runs/run-answer.ts";
import { createRunOutline } from "../../../reports/viewer/runs/run-outline.ts";
import { runFixture } from "../../../testing.ts";
import { parseQuery } from "../../../traces/index/query.ts";
import { scanRun } from "../../../traces/index/scan-run.ts";
import { openRunIndex } from "../../../traces/index/run-index.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import { there } from "../../needs.ts";
import { joined, said } from "../said.ts";

const root = mkdtempSync(join(tmpdir(), "forge-torn-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;
/** A page whose long lines are in one piece again. */
const flat = (out: string): string => out.replaceAll(/\n +/g, " ");

/** A run that has ended, and whose process was killed while it wrote down the verdict: `without` bytes of that line are missing. */
async function torn(without = 20): Promise<{ folder: string; trace: string; offset: number; bytes: number }> {
  const folder = join(root, `run-${made++}`);
  const recorder = recordTrace(folder, { clock: { now: () => 5, sleep: async () => undefined }, micros: () => 0, sync: false });
  const script = [{ calls: [{ name: "bash", args: { command: "ls" } }] }, { text: "done" }];
  for (const event of (await runFixture({ script, exec: () => "x" })).events) recorder.emit(event);
  recorder.evidence("verifier.result", { rewards: { reward: 1 }, passed: true });
  recorder.close();
  const trace = join(folder, "trace.jsonl");
  const whole = readFileSync(trace);
  const offset = whole.subarray(0, -1).lastIndexOf(0x0a) + 1;
  truncateSync(trace, whole.length - without);
  return { folder, trace, offset, bytes: whole.length - without - offset };
}

let config = "";
beforeAll(() => {
  config = join(root, "other.yaml");
  writeFileSync(config, "limits:\n  turns: 50\n");
});

describe("bytes behind the last whole event", () => {
  it("are told by every reader of the run, with their offset, and change no exit code", async () => {
    const { folder, offset, bytes } = await torn();
    const sentence = `${bytes} bytes behind the whole events, from offset ${offset}, are a torn line and were left out`;
    const out = (format: string): string => join(root, `${format}-${made++}`);
    const readers: Record<string, () => Promise<number>> = {
      replay: () => replay([folder], {}),
      verify: () => replay([folder], { verify: true }),
      show: () => showRun(folder, {}),
      tail: () => tailRun(folder, {}),
      stats: () => traceStats([folder], {}),
      list: () => listRuns([folder], {}),
      tree: () => listForks([folder], { all: true }),
      search: () => searchRuns("done", [folder], {}),
      dry: () => dryReplay([folder], { config }),
      "dry as a page": () => dryReplay([folder], { config, markdown: true }),
      bisect: () => diffRuns([folder, folder], {}),
      "export to standard output": () => exportRuns([folder], { format: "otlp" }),
      ...Object.fromEntries(
        ["atif", "otlp", "markdown", "html"].map((format) => [format, () => exportRuns([folder], { format, out: out(format) })]),
      ),
    };
    for (const [name, read] of Object.entries(readers)) {
      const answer = await said(read);
      expect(flat(answer.out), name).toContain(sentence);
      expect(answer.code, name).toBe(0);
    }
    for (const format of ["markdown", "html"]) {
      const page = await said(() => exportRuns([folder], { format }));
      expect(page.out.split(sentence), `${format}: on the page, and beside it`).toHaveLength(3);
    }
  });

  it("are told on the page of a run in the viewer, however many they are", async () => {
    const { folder, trace, offset, bytes } = await torn();
    for (const more of [0, 2 ** 21]) {
      truncateSync(trace, offset + bytes + more);
      const outline = createRunOutline(folder);
      await outline.grow();
      const { facts, damaged } = runAnswer(outline, createPlaces({ cwd: root, roots: [folder] }));
      expect(facts).toContainEqual(["Left out", expect.stringMatching(`^${bytes + more} bytes .* from offset ${offset}, are a torn line`)]);
      expect(damaged).toBeNull();
    }
  });

  it("stand in what every reader says to machines, and null where there are none", async () => {
    const { folder, offset, bytes } = await torn();
    const { folder: whole } = await torn(0);
    const first = async (act: () => Promise<number>): Promise<unknown> => (await said(act)).lines[0]?.["torn"];
    for (const [run, expected] of [
      [folder, { offset, bytes }],
      [whole, null],
    ] as const) {
      expect(await first(() => replay([run], { json: true }))).toEqual(expected);
      expect(await first(() => replay([run], { json: true, verify: true }))).toEqual(expected);
      expect(await first(() => showRun(run, { json: true }))).toEqual(expected);
      expect((await said(() => tailRun(run, { json: true }))).lines.at(-1)).toEqual({ type: "end", end: "cut off", torn: expected });
      expect(await first(() => dryReplay([run], { json: true, config }))).toEqual(expected);
      expect(await first(() => listRuns([run], { json: true }))).toEqual(expected);
      expect(await first(() => listForks([run], { all: true, json: true }))).toEqual(expected);
      const out = join(root, `out-${made++}`);
      expect(await first(() => exportRuns([run], { json: true, format: "atif", out }))).toEqual(expected);
      expect(await first(() => diffRuns([run, run], { json: true }))).toEqual({ a: expected, b: expected });
      expect(await first(() => traceStats([run], { json: true }))).toEqual(expected ? [{ run, ...expected }] : []);
    }
  });

  it("are told where nothing whole stands before them", async () => {
    const { folder, trace } = await torn();
    truncateSync(trace, 40);
    const { out, code } = await said(() => listRuns([folder], {}));
    expect(code).toBe(0);
    expect(out).toContain(": 40 bytes behind the whole events, from offset 0, are a torn line and were left out.");
  });

  it("are told by search from an index as without one, each time", async () => {
    const { folder, offset, bytes } = await torn();
    const path = join(root, "index.db");
    for (const look of ["read", "unchanged"]) {
      if (there("sqlite").length === 0) break;
      const index = await openRunIndex(path);
      expect(await index.update(folder)).toMatchObject({ state: look, fault: null, torn: { offset, bytes } });
      index.close();
    }
    expect((await said(() => searchRuns("done", [folder], {}))).out).toContain(
      `${bytes} bytes behind the whole events, from offset ${offset}`,
    );
  });

  it("are damage to every reader where the trace was sealed: to a search from an index as without one, each time", async () => {
    const { folder, trace } = await torn(0);
    expect((await said(() => recoverRuns([folder], {}))).code).toBe(0);
    const offset = statSync(trace).size;
    writeFileSync(trace, '{"v":1,', { flag: "a" });
    const readers: Record<string, () => Promise<number>> = {
      replay: () => replay([folder], {}),
      show: () => showRun(folder, {}),
      stats: () => traceStats([folder], {}),
      list: () => listRuns([folder], {}),
      search: () => searchRuns("done", [folder], {}),
      "search for what stands nowhere": () => searchRuns("nowhere", [folder], {}),
      dry: () => dryReplay([folder], { config }),
      export: () => exportRuns([folder], { format: "otlp" }),
    };
    for (const [name, read] of Object.entries(readers)) {
      const answer = await said(read).catch((error: unknown) => ({ code: error instanceof ForgeError ? error.exitCode : error, out: "" }));
      expect(answer.code, name).toBe(4);
      expect(answer.out, name).not.toContain("torn line");
    }
    const query = parseQuery("done");
    if (!query) throw new Error("no query");
    const scanned = async (): Promise<void> => {
      for await (const hit of scanRun(folder, query, () => expect.unreachable())) expect(hit.offset).toBeLessThan(offset);
    };
    await expect(scanned()).rejects.toThrow(`is sealed, and 7 bytes from offset ${offset} are no whole event`);
    const fault = { exitCode: 4, text: expect.stringContaining("is sealed, and 7 bytes") as unknown };
    for (const look of ["read", "unchanged"]) {
      if (there("sqlite").length === 0) break;
      const index = await openRunIndex(join(root, "sealed.db"));
      expect(await index.update(folder)).toMatchObject({ state: look, fault, torn: null });
      index.close();
    }
  });

  it("are a line that is still written where its process lives", async () => {
    const { folder } = await torn();
    writeFileSync(join(folder, "writer.json"), JSON.stringify(thisOwner()));
    const { out, code } = await said(() => replay([folder], {}));
    expect(flat(out)).toMatch(
      /\(still being written: more may follow; \d+ bytes .* are a line that is still being written and were left out\)/,
    );
    expect(code).toBe(0);
  });

  it("may be longer than any event: they are a torn line all the same, and are set aside", async () => {
    const { folder, trace, offset } = await torn(0);
    const end = statSync(trace).size;
    const large = 64 * 2 ** 20;
    truncateSync(trace, end + large); // a hole: NULs, as some file systems leave behind after a crash
    const sentence = `${large} bytes behind the whole events, from offset ${end}, are a torn line`;
    expect(offset).toBeLessThan(end);
    for (const read of [() => replay([folder], {}), () => tailRun(folder, {})]) expect(flat((await said(read)).out)).toContain(sentence);
    truncateSync(trace, end + 3 * 2 ** 20); // what follows writes it all
    const { out, code } = await said(() => recoverRuns([folder], {}));
    expect([code, out]).toEqual([0, expect.stringContaining(`${3 * 2 ** 20} torn bytes are in torn-${end}`)]);
    expect(statSync(join(folder, `torn-${end}`)).size).toBe(3 * 2 ** 20);
    expect(await said(() => replay([folder], { verify: true }))).toMatchObject({ code: 0 });
  });

  it("are damage where a line over 1 MiB has an end: a whole line was written there, and nothing says what it was", async () => {
    const { folder, trace } = await torn(0);
    const end = statSync(trace).size;
    truncateSync(trace, end + 2 * 2 ** 20);
    writeFileSync(trace, "\n", { flag: "a" });
    for (const act of [() => replay([folder], {}), () => recoverRuns([folder], {})]) {
      const { out, code } = await said(act);
      expect(code).toBe(4);
      expect(flat(out)).toContain(
        `the line at byte ${end} is longer than 1 MiB. Restore the trace from a copy; everything before it is whole.`,
      );
    }
  });
});

describe("a run with a recorded end that nobody has sealed", () => {
  it("is told from one that its process still writes", async () => {
    const { folder } = await torn(0);
    expect((await said(() => replay([folder], {}))).out).toMatch(/exact\s+(\d+)\/\1 \(not sealed\)\n/);
    writeFileSync(join(folder, "writer.json"), JSON.stringify(thisOwner()));
    expect(joined((await said(() => replay([folder], {}))).out)).toMatch(/exact\s+(\d+)\/\1 \(still being written: more may follow\)\n/);
  });
});

describe("a run of a later version", () => {
  it("is said to be one by every list, whose exit code is 3 as that of all who cannot read it", async () => {
    const { folder, trace } = await torn(0);
    writeFileSync(trace, readFileSync(trace, "utf8").replaceAll('{"v":1,', '{"v":2,'));
    for (const read of [() => listRuns([folder], {}), () => listForks([folder], { all: true })]) {
      const { out, code } = await said(read);
      expect(out).toContain("later version");
      expect(out).toContain(
        "what is at byte 0 (event 0) is of version 2, and this Forge reads version 1. Update Forge, or leave the run out.",
      );
      expect(code).toBe(3);
    }
  });
});

describe("a run whose process was ended before it was done", () => {
  it("is called cut off before and after it is recovered, and pruned as what an ended process left only before", async () => {
    const { folder, trace } = await torn(0);
    const lines = readFileSync(trace, "utf8").split("\n");
    writeFileSync(trace, `${lines.slice(0, 3).join("\n")}\n`);
    const prune = async (): Promise<unknown> =>
      (await said(() => pruneRuns([folder], { unsealed: true, dryRun: true, json: true }))).lines.at(-1);
    expect((await said(() => listRuns([folder], {}))).out).toMatch(/ cut off {2,}/);
    expect(await prune()).toMatchObject({ removed: 1 });
    expect((await said(() => recoverRuns([folder], {}))).code).toBe(0);
    expect((await said(() => listRuns([folder], {}))).out).toMatch(/ cut off, recovered {2,}/);
    expect(await prune()).toMatchObject({ removed: 0 });
  });
});
