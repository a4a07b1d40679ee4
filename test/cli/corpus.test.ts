import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runFixture } from "../../testing.ts";
import { needs } from "../needs.ts";
import { writeRun } from "../traces/write-run.ts";

const root = mkdtempSync(join(tmpdir(), "forge-corpus-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const main = join(import.meta.dirname, "../../dist/cli/main.js");
const forge = (...args: string[]) => execa(process.execPath, [main, ...args], { cwd: root, reject: false });
const names = Array.from({ length: 90 }, (_, i) => `run-${String(i).padStart(2, "0")}`);
const damaged = "run-41";

describe.skipIf(needs("build"))("a corpus that is asked in several threads", { timeout: 120_000 }, () => {
  beforeAll(async () => {
    const { events } = await runFixture({ script: [{ calls: [{ name: "bash", args: { command: "ls" } }] }, { text: "done" }] });
    writeRun(join(root, "one"), events);
    for (const name of names) cpSync(join(root, "one"), join(root, "runs", name), { recursive: true });
    const trace = join(root, "runs", damaged, "trace.jsonl");
    writeFileSync(trace, readFileSync(trace, "utf8").replace('"dt":', '"dt":1'));
  });

  it("answers in the order of its runs, the damaged one in its place", async () => {
    const { exitCode, stdout } = await forge("replay", "runs", "--json");
    const lines = stdout.split("\n").map((line) => JSON.parse(line) as { run?: string; verdict?: string });
    expect(exitCode).toBe(4);
    expect(lines.slice(0, -1).map(({ run, verdict }) => [run, verdict])).toEqual(
      names.map((name) => [join("runs", name), name === damaged ? "damaged" : "exact"]),
    );
    expect(lines.at(-1)).toEqual({ type: "summary", runs: 90, exact: 89, damaged: 1 });
  });

  it("tells of a configuration that is wrong once, and of one that is right what it would have done everywhere", async () => {
    writeFileSync(join(root, "wrong.yaml"), "extends: bare\nlimits: { turns: many }\n");
    const wrong = await forge("replay", "--dry", "--config", "wrong.yaml", "runs");
    expect([wrong.exitCode, wrong.stderr.match(/limits\.turns/g)?.length]).toEqual([2, 1]);
    const right = await forge("replay", "--dry", "--config", "standard", "runs", "--json");
    const summary = JSON.parse(right.stdout.split("\n").at(-1) ?? "") as { runs: object; leftOut: { runs: number }[] };
    expect([summary.runs, summary.leftOut.map(({ runs }) => runs)]).toEqual([{ passed: 0, failed: 0, unknown: 89 }, [1]]);
  });

  it("ends with a word where a middleware ends its thread", async () => {
    const gone = [
      'import { isMainThread } from "node:worker_threads";',
      'import { middleware, z } from "forge-lab";',
      "const start = async () => (isMainThread ? undefined : process.exit(7));",
      'export default middleware("gone", "1", z.strictObject({}), () => ({ start }));',
    ];
    writeFileSync(join(root, "gone.ts"), gone.join("\n"));
    writeFileSync(join(root, "gone.yaml"), "extends: bare\nmiddleware: [./gone.ts]\n");
    const { exitCode, stderr } = await forge("replay", "--dry", "--config", "gone.yaml", "runs");
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/thread ended while it asked runs.run-\d\d/)]);
  });

  it("is ended where a middleware loops for ever, also in the only run, and says which, in which phase and at which event", async () => {
    const loops = [
      'import { middleware, z } from "forge-lab";',
      'export default middleware("looper", "1", z.strictObject({}), () => ({',
      "  async tool(call, next) {",
      "    const reply = await next(call);",
      "    await null;",
      "    for (;;) if (reply === undefined) return reply;",
      "  },",
      "}));",
    ];
    writeFileSync(join(root, "loop.ts"), loops.join("\n"));
    writeFileSync(join(root, "loop.yaml"), "extends: bare\nmiddleware: [loop-detection, ./loop.ts]\n");
    const call = readFileSync(join(root, "one", "trace.jsonl"), "utf8")
      .split("\n")
      .findIndex((line) => line.includes('"t":"tool.call"'));
    const { exitCode, stderr } = await forge("replay", "--dry", "--config", "loop.yaml", "one");
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`The middleware "looper" did not come back in its tool phase at one:${call}: it kept its thread for 10 s`),
    ]);
  });
});
