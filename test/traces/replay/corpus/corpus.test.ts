import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runFixture } from "../../../../testing.ts";
import { needs, sampled } from "../../../needs.ts";
import { writeRun } from "../../write-run.ts";

const root = mkdtempSync(join(tmpdir(), "forge-corpus-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const main = join(import.meta.dirname, "../../../../dist/cli/main.js");
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
    const wrong = await forge("replay", "dry", "--config", "wrong.yaml", "runs");
    expect([wrong.exitCode, wrong.stderr.match(/limits\.turns/g)?.length]).toEqual([2, 1]);
    const right = await forge("replay", "dry", "--config", "standard", "runs", "--json");
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
    const { exitCode, stderr } = await forge("replay", "dry", "--config", "gone.yaml", "runs");
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/thread ended while it replayed runs.run-\d\d: the middleware "gone" ends its process in its start phase/),
    ]);
  });

  it("gives the only thread as much memory as Node gives a program", async () => {
    const tells = [
      'import { writeFileSync } from "node:fs";',
      'import { getHeapStatistics } from "node:v8";',
      'import { middleware, z } from "forge-lab";',
      'const start = async () => writeFileSync("limit.txt", `${getHeapStatistics().heap_size_limit}`);',
      'export default middleware("tells", "1", z.strictObject({}), () => ({ start }));',
    ];
    writeFileSync(join(root, "tells.ts"), tells.join("\n"));
    writeFileSync(join(root, "tells.yaml"), "extends: bare\nmiddleware: [./tells.ts]\n");
    expect((await forge("replay", "dry", "--config", "tells.yaml", "one")).exitCode).toBe(0);
    const { stdout } = await execa(process.execPath, ["-p", "v8.getHeapStatistics().heap_size_limit"]);
    expect(Number(readFileSync(join(root, "limit.txt"), "utf8"))).toBeGreaterThan(0.9 * Number(stdout));
  });

  it("is ended where a middleware loops for ever, also in the only run, and says which, in which phase and at which event", async () => {
    const loop = "for (;;) if (Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20) === undefined) break;"; // without a processor
    const places: Record<string, { readonly code: readonly [string, string]; readonly said: string; readonly at: string | undefined }> = {
      model: { code: ["", `({ async model(call, next, run) { if (run.spent.turns < 2) return next(call); ${loop} return next(call); } })`], said: "in its model phase", at: '"t":"model.request"' }, // prettier-ignore
      tool: { code: ["", `({ async tool(call, next) { const reply = await next(call); await null; ${loop} return reply; } })`], said: "in its tool phase", at: '"t":"tool.call"' }, // prettier-ignore
      finish: { code: ["", `({ async finish() { ${loop} } })`], said: "in its finish phase", at: '"t":"model.response"' },
      state: { code: ["", `({ state() { ${loop} return 1; }, async start() {} })`], said: "while it made its state", at: undefined },
      load: { code: [loop, "({})"], said: "while it was loaded", at: undefined },
    };
    const all = Object.entries(places);
    const lines = readFileSync(join(root, "one", "trace.jsonl"), "utf8").split("\n");
    const ended = sampled(
      all,
      all.filter(([name]) => ["tool", "load"].includes(name)),
    ).map(
      async ([
        name,
        {
          code: [first, made],
          said,
          at,
        },
      ]) => {
        const source = `import { middleware, z } from "forge-lab";\n${first}\nexport default middleware("looper", "1", z.strictObject({}), () => ${made});\n`;
        writeFileSync(join(root, `${name}.ts`), source);
        writeFileSync(join(root, `${name}.yaml`), `extends: bare\nmiddleware: [loop-detection, ./${name}.ts]\n`);
        const { exitCode, stderr } = await forge("replay", "dry", "--config", `${name}.yaml`, "one");
        const place = at === undefined ? "one" : `one:${lines.findLastIndex((line) => line.includes(at))}`;
        expect([name, exitCode, stderr]).toEqual([name, 2, expect.stringContaining(`did not come back ${said} at ${place}: it kept its thread for 10 s`)]); // prettier-ignore
      },
    );
    await Promise.all(ended);
  });
});
