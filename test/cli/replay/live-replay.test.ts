import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { liveReplay } from "../../../cli/replay/live-replay.ts";
import type { LiveFlags } from "../../../cli/replay/options.ts";
import { listForks, listRuns } from "../../../cli/traces/list-runs.ts";
import { bench } from "../../../evals/bench/bench.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { toolSchemas } from "../../../harness/tools/tool-schemas.ts";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";
import { benchPorts, fixtureConfig, fixtureRequest, removeScratch, scratch } from "../../evals/bench-fixture.ts";
import { said } from "../said.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 }); // real sandboxes on a machine that may be busy

/** What it says of one run. */
async function lineOf(act: () => Promise<number>): Promise<{ code: number; line: Record<string, unknown> }> {
  const { code, lines } = await said(act);
  expect(lines).toHaveLength(1);
  return { code, line: lines[0] ?? {} };
}
const requests = (events: readonly RunEvent[]): unknown[] =>
  events.filter(({ t, lane }) => t === "model.request" && lane === "main").map(({ d }) => d["hash"]);

describe("forge replay live", () => {
  let trial = "";
  let place = "";
  let taskFolder = "";
  const before = process.cwd();
  const tools = toolSchemas(["bash"]);
  beforeAll(async () => {
    const { tasks } = await loadSuite("demo");
    const task = tasks.find((one) => one.name === "greet") ?? tasks[0];
    if (!task) throw new Error("the demo suite is empty");
    taskFolder = task.folder;
    const configurations = [fixtureConfig("plain", { tools, system: [{ name: "identity", text: "You are a coding agent." }] })];
    const request = await fixtureRequest([task], { agent: "configured", configurations, sandbox: "local", asked: { suite: "demo" } });
    const job = (await bench(request, await benchPorts())).folder;
    trial = join(job, "trials", task.name, "plain", "1", "attempt-1");
    place = await scratch();
    process.chdir(place);
  });
  afterAll(() => process.chdir(before));
  const config = (text: string): string => {
    writeFileSync(join(place, "other.yaml"), text);
    return join(place, "other.yaml");
  };
  const live = (flags: LiveFlags): Promise<{ code: number; line: Record<string, unknown> }> =>
    lineOf(() => liveReplay([trial], { ...flags, json: true }));

  it("goes on live from a turn in a sandbox rebuilt by the recorded calls, and seals a run that names its parent", async () => {
    const recorded = await loadTrace(trial);
    const other = config("extends: bare\nlimits:\n  turns: 49\n");
    const { code, line } = await live({ config: other });
    expect(code).toBe(0);
    expect(line).toMatchObject({ live: true, step: 1, carriedOut: 0 });
    const first = String(line["folder"]);
    expect(await verifyTrace(first)).toMatchObject({ sealed: true });
    const forked = await loadTrace(first);
    expect(forked.events[0]?.d["meta"]).toMatchObject({ parent: { run: trial, start: recorded.lines[0]?.h, step: 1 } });
    expect(forked.seal?.workspace).toMatch(/^[0-9a-f]{64}$/);

    const same = await lineOf(() => liveReplay([first], { config: other, json: true }));
    expect(same).toMatchObject({ code: 0, line: { live: false } });
    expect(readdirSync(join(place, ".forge", "runs"))).toHaveLength(1);

    const turns = requests(forked.events).length;
    expect(turns).toBeGreaterThan(1);
    const chain = await lineOf(() => liveReplay([first], { config: other, from: turns, task: taskFolder, json: true }));
    expect(chain.code).toBe(0);
    expect(chain.line).toMatchObject({ differ: 0, carriedOut: forked.events.filter(({ t }) => t === "tool.call").length });
    const last = await loadTrace(String(chain.line["folder"]));
    expect(last.seal?.workspace).toBe(forked.seal?.workspace);
    expect(requests(last.events).slice(0, turns)).toEqual(requests(forked.events));
    const runs = readdirSync(join(place, ".forge", "runs")).map((name) => join(place, ".forge", "runs", name));
    const tree = await lineOf(() => listForks([trial, ...runs], { json: true }));
    expect((await said(() => listRuns([first], {}))).out).toContain("fork at turn 1");
    expect(tree.line).toMatchObject({ folder: trial, forks: [{ folder: first, forks: [{ folder: chain.line["folder"] }] }] });
  });

  it("that cannot be brought to its turn as recorded ran nothing live, and leaves no run behind", async () => {
    const runs = join(place, ".forge", "runs");
    const before = readdirSync(runs);
    writeFileSync(
      join(place, "fickle.mjs"),
      `import { readdirSync } from "node:fs";
import { middleware } from "forge-lab";
import { z } from "zod";
export default middleware("fickle", "1", z.strictObject({}), () => ({
  async start() {
    return readdirSync(${JSON.stringify(runs)}).length > ${before.length} ? { messages: ["when it counts"] } : undefined;
  },
}));\n`,
    );
    const other = config("extends: bare\nlimits:\n  turns: 49\nmiddleware: [./fickle.mjs]\n");
    const lost = liveReplay([join(runs, before[0] ?? "")], { config: other, from: 2, task: taskFolder, trust: true, json: true });
    await expect(lost).rejects.toMatchObject({ exitCode: 3, message: expect.stringMatching(/cannot be brought to turn 2 as recorded: .* nothing of it is kept\.$/) as unknown }); // prettier-ignore
    expect(readdirSync(runs)).toEqual(before);
  });
});
