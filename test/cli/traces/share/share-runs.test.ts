import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bundleRuns } from "../../../../cli/traces/share/bundle-runs.ts";
import { exportRuns } from "../../../../cli/traces/share/export-runs.ts";
import { importRuns } from "../../../../cli/traces/share/import-runs.ts";
import { pinRuns } from "../../../../cli/traces/keep/keep-traces.ts";
import { listRuns } from "../../../../cli/traces/list-runs.ts";
import { replay } from "../../../../cli/replay/replay-runs.ts";
import { runFixture } from "../../../../testing.ts";
import { canaries, secretParts } from "../../../traces/canaries.ts";
import { writeRun } from "../../../traces/write-run.ts";
import { said } from "../../said.ts";

const root = mkdtempSync(join(tmpdir(), "forge-share-"));
const runs = join(root, "runs");
let leaky = "";
beforeAll(async () => {
  vi.stubEnv("CANARY_TOKEN", canaries["environment"] ?? "");
  const all = Object.values(canaries).join("\n");
  const script = [{ text: `I saw ${all}`, calls: [{ name: "bash", args: { command: all } }] }, { text: "done" }];
  leaky = writeRun(join(runs, "leaky"), (await runFixture({ task: all, script, exec: () => `${"x".repeat(5000)}\n${all}` })).events);
  writeRun(join(runs, "plain"), (await runFixture({ script: [{ text: "hello" }] })).events, 1_767_225_000_000);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

const bytesBelow = (folder: string): Buffer =>
  Buffer.concat(readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((one) => (one.isFile() ? [readFileSync(join(one.parentPath, one.name))] : []))); // prettier-ignore

describe("what leaves with forge traces export", () => {
  it.each(["atif", "otlp", "markdown", "html"])("as %s has no secret in any byte, and says what was taken out by kind", async (format) => {
    const out = join(root, `out-${format}`);
    const { code, lines, out: text } = await said(() => exportRuns([runs], { format, out, json: true }));
    expect(code).toBe(0);
    expect(lines.map(({ type }) => type)).toEqual(["run", "run", "summary"]);
    expect(lines[0]).toMatchObject({ takenOut: { "known value": expect.any(Number), "private key": expect.any(Number) } });
    expect(lines[1]).toMatchObject({ takenOut: {} });
    const bytes = bytesBelow(out);
    expect(bytes.length).toBeGreaterThan(1000);
    for (const secret of secretParts) {
      expect(bytes.includes(secret)).toBe(false);
      expect(text).not.toContain(secret);
    }
    expect((await said(() => exportRuns([runs], { format, out }))).code).toBe(0);
  });

  it("never replaces another file, unless it is told to", async () => {
    const out = join(root, "page.md");
    writeFileSync(out, "mine");
    await expect(exportRuns([leaky], { format: "markdown", out })).rejects.toMatchObject({ exitCode: 2 });
    expect(readFileSync(out, "utf8")).toBe("mine");
    expect((await said(() => exportRuns([leaky], { format: "markdown", out, force: true }))).code).toBe(0);
    expect(readFileSync(out, "utf8")).toMatch(/^# /);
  });

  it("goes on past a run that is damaged, and ends with its exit code", async () => {
    const [folder, out] = [join(root, "some"), join(root, "some-out")];
    const broken = writeRun(join(folder, "a"), (await runFixture({ script: [{ text: "hello" }] })).events);
    writeRun(join(folder, "b"), (await runFixture({ script: [{ text: "hello" }] })).events);
    const trace = join(broken, "trace.jsonl");
    writeFileSync(trace, readFileSync(trace, "utf8").replace("hello", "hallo"));
    const { code, lines } = await said(() => exportRuns([folder], { format: "atif", out, json: true }));
    expect(code).toBe(4);
    expect(lines.at(-1)).toMatchObject({ type: "summary", runs: 1, failed: 1 });
  });

  it("prints one run, and refuses several without a place for them", async () => {
    expect((await said(() => exportRuns([leaky], { format: "markdown" }))).out).toContain("## Turn 1");
    await expect(exportRuns([runs], { format: "html" })).rejects.toMatchObject({ exitCode: 2 });
    await expect(exportRuns([leaky], { format: "pdf" })).rejects.toMatchObject({ exitCode: 2 });
  });
});

describe("forge traces bundle", () => {
  it("writes one archive without any secret, the same bytes for the same runs, that lists and replays as it stands", async () => {
    const [one, two] = [join(root, "one.tgz"), join(root, "second", "one.tgz")];
    mkdirSync(join(root, "second"));
    const { code, lines } = await said(() => bundleRuns([runs], { out: one, json: true }));
    expect(code).toBe(0);
    expect(lines[0]?.["files"]).toBeGreaterThan(4);
    expect(lines[0]).toMatchObject({
      runs: [{ path: "runs/runs_plain" }, { path: "runs/runs_leaky" }],
      replay: { runs_leaky: { verdict: "exact" } },
    });
    expect(lines[0]?.["takenOut"]).toMatchObject({
      "known value": expect.any(Number),
      "Stripe key": expect.any(Number),
      "JSON Web Token": expect.any(Number),
    });
    const bytes = gunzipSync(readFileSync(one));
    for (const secret of secretParts) expect(bytes.includes(secret)).toBe(false);
    await said(() => bundleRuns([runs], { out: two }));
    expect(readFileSync(two).equals(readFileSync(one))).toBe(true);
    const again = await said(() => replay([one], { json: true }));
    expect(again.code).toBe(0);
    expect(again.lines.at(-1)).toEqual({ type: "summary", runs: 2, exact: 2 });
    expect((await said(() => listRuns([one], { json: true }))).lines).toHaveLength(2);
    await expect(bundleRuns([runs], { out: one })).rejects.toMatchObject({ exitCode: 2 });
    await expect(pinRuns([one], {})).rejects.toMatchObject({ exitCode: 2 });
  });

  it("says how to read it elsewhere: runs of other agents do not replay", async () => {
    const place = join(root, "other", "s1.jsonl");
    mkdirSync(join(root, "other"));
    const line = (type: string): string => JSON.stringify({ type, sessionId: "s1", message: { id: type, role: type, content: "Look." } });
    writeFileSync(place, `${line("user")}\n${line("assistant")}\n`);
    const imported = join(root, "other", "runs");
    expect((await said(() => importRuns([place], { out: imported }))).code).toBe(0);
    expect((await said(() => bundleRuns([imported], { out: join(root, "other.tgz") }))).out).toContain(
      "Elsewhere: forge traces list other.tgz",
    );
    const both = await said(() => bundleRuns([imported, join(runs, "plain")], { out: join(root, "both.tgz") }));
    expect(both.out).toContain("Elsewhere: forge replay both.tgz");
  });

  it("writes nothing where a run has no seal", async () => {
    const open = writeRun(join(root, "open"), (await runFixture({ script: [{ text: "hello" }] })).events);
    rmSync(join(open, "seal.json"));
    const out = join(root, "open.tgz");
    await expect(bundleRuns([open], { out })).rejects.toMatchObject({ exitCode: 3 });
    expect(existsSync(out)).toBe(false);
  });
});

describe("forge traces import", () => {
  it("keeps what other agents wrote as traces, once, without secrets, and counts what it does not know", async () => {
    const session = join(root, "session.jsonl");
    const line = (type: string, content: unknown, more: object = {}): string => JSON.stringify({ type, sessionId: "s", timestamp: "2026-01-01T00:00:00Z", message: { id: "m", role: type, content }, ...more }); // prettier-ignore
    writeFileSync(
      session,
      [line("user", Object.values(canaries).join("\n")), line("assistant", [{ type: "text", text: "ok" }]), '{"type":"odd"}'].join("\n"),
    );
    const out = join(root, "imported");
    const { code, lines } = await said(() => importRuns([session], { out, json: true }));
    expect(code).toBe(0);
    expect(lines).toMatchObject([
      { format: "claude-code", new: true, turns: 1, kept: { odd: 1 } },
      { imported: 1, there: 0, failed: 0 },
    ]);
    for (const secret of secretParts) expect(bytesBelow(out).includes(secret)).toBe(false);
    expect((await said(() => importRuns([session], { out }))).out).toContain("already exists");
    const refused = await said(() => replay([out], { json: true }));
    expect(refused.code).toBe(3);
    expect(refused.lines[0]).toMatchObject({ verdict: "cannot", text: expect.stringContaining("imported (claude-code)") });
    writeFileSync(session, `${line("user", "another")}\n${line("assistant", [])}`);
    expect((await said(() => importRuns([session], { out }))).code).toBe(2);
  });

  it("cannot do anything with a place that holds no run of the format, which is not called damaged", async () => {
    const at = join(root, "nothing");
    mkdirSync(at);
    const { code, lines } = await said(() => importRuns([at], { format: "codex", json: true }));
    expect(code).toBe(3);
    expect(lines).toMatchObject([
      { type: "place", exitCode: 3 },
      { imported: 0, failed: 1 },
    ]);
  });

  it("goes on past a file that is damaged, and ends with its exit code", async () => {
    const job = join(root, "job");
    for (const trial of ["a", "b", "c"]) {
      mkdirSync(join(job, trial), { recursive: true });
      const result = JSON.stringify({ task_name: "greet", trial_name: `greet__${trial}` });
      writeFileSync(join(job, trial, "result.json"), trial === "b" ? result.slice(0, -9) : result);
    }
    const { code, lines } = await said(() => importRuns([job], { out: join(root, "trials"), json: true }));
    expect(code).toBe(4);
    expect(lines).toMatchObject([
      { type: "run", new: true },
      { type: "place", exitCode: 4, text: expect.stringContaining(join(job, "b", "result.json")) },
      { type: "run", new: true },
      { imported: 2, there: 0, failed: 1 },
    ]);
  });
});
