import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { bundleRuns } from "../../../cli/traces/share/bundle-runs.ts";
import type { ToolsFlags } from "../../../cli/replay/options.ts";
import { replayTools } from "../../../cli/replay/replay-tools.ts";
import { bench } from "../../../evals/bench/bench.ts";
import { toolSchemas } from "../../../harness/tools/tool-schemas.ts";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";
import { benchPorts, fixtureConfig, fixtureRequest, fixtureTask, removeScratch, scratch } from "../../evals/bench-fixture.ts";
import { said } from "../said.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 }); // real sandboxes on a machine that may be busy

interface Line {
  readonly type: string;
  readonly verdict: string;
  readonly workspace: boolean | null;
  readonly verifier: { readonly recorded: number; readonly again: readonly number[]; readonly verdict: string } | null;
  readonly workdirDiffersAt: number | null;
  readonly notes: readonly string[];
  readonly steps: readonly { readonly verdict: string; readonly tool: string }[];
}

async function tools(folder: string, times: number, sandbox?: NonNullable<ToolsFlags["sandbox"]>): Promise<{ code: number; line: Line }> {
  const { code, lines } = await said(() => replayTools([folder], { times, json: true, ...(sandbox === undefined ? {} : { sandbox }) }));
  expect(lines).toHaveLength(1);
  return { code, line: lines[0] as unknown as Line }; // its shape is what the test is about
}

describe("forge replay tools", () => {
  let trial = "";
  let taskFolder = "";
  beforeAll(async () => {
    const { tasks } = await loadSuite("demo");
    const task = tasks.find((one) => one.name === "greet") ?? tasks[0];
    if (!task) throw new Error("the demo suite is empty");
    taskFolder = task.folder;
    const config = fixtureConfig("plain", { tools: toolSchemas(["bash", "read", "edit", "write"]) });
    const request = await fixtureRequest([task], {
      agent: "configured",
      configurations: [config],
      sandbox: "local",
      asked: { suite: "demo" },
    });
    const job = (await bench(request, await benchPorts())).folder;
    trial = join(job, "trials", task.name, "plain", "1", "attempt-1");
  });

  it("carries the recorded calls out in fresh sandboxes and finds the same results and the same workspace", async () => {
    const { code, line } = await tools(trial, 2);
    expect(code).toBe(0);
    expect(line).toMatchObject({
      verdict: "same",
      workspace: true,
      verifier: { verdict: "the same", again: [line.verifier?.recorded, line.verifier?.recorded] },
    });
    expect(line.steps.length).toBeGreaterThan(1);
    for (const { verdict } of line.steps) expect(["exact", "normalized"]).toContain(verdict);
  });

  it("does so with a run of a bundle, which lies in no job, once its task is named", async () => {
    const file = join(await scratch(), "shared.tgz");
    await said(() => bundleRuns([trial], { out: file }));
    const run = `${file}#attempt-1`;
    const without = await said(() => replayTools([run], {}));
    expect(without).toMatchObject({ code: 3, out: expect.stringContaining(`${run} is not inside a job's folder`) as unknown });
    expect(await said(() => replayTools([run], { task: taskFolder, json: true }))).toMatchObject({
      code: 0,
      lines: [{ run, verdict: "same" }],
    });
  });
});

describe("the verdict of forge replay tools", () => {
  /** A trial of the oracle at a task of one's own. */
  async function solved(o: {
    readonly mode: "hardened" | "official";
    readonly solve?: string;
  }): Promise<{ attempt: string; folder: string }> {
    const task = await fixtureTask(o.solve === undefined ? {} : { solve: o.solve });
    const suite = dirname(task.folder);
    const request = await fixtureRequest([task], { agent: "oracle", sandbox: "local", mode: o.mode, asked: { suite } });
    const job = (await bench(request, await benchPorts())).folder;
    const [configuration = ""] = readdirSync(join(job, "trials", task.name));
    return { attempt: join(job, "trials", task.name, configuration, "1", "attempt-1"), folder: task.folder };
  }

  let passing: ReturnType<typeof solved> | undefined;
  /** A trial that passed in hardened mode, made once; its task has other tests until this test ends. */
  async function passed(test?: (folder: string) => string): Promise<string> {
    const { attempt, folder } = await (passing ??= solved({ mode: "hardened" }));
    const path = join(folder, "tests/test.sh");
    const before = readFileSync(path);
    onTestFinished(() => writeFileSync(path, before));
    if (test) writeFileSync(path, test(folder));
    return attempt;
  }

  it.each(["hardened", "official"] as const)("is the recorded one, passed or failed, in %s mode", async (mode) => {
    const right = mode === "hardened" ? await passed() : (await solved({ mode })).attempt;
    const wrong = (await solved({ mode, solve: "echo no > out.txt\n" })).attempt;
    for (const [attempt, score] of [
      [right, 1],
      [wrong, 0],
    ] as const) {
      const { code, line } = await tools(attempt, 1, "local-unsafe");
      expect(line.verifier).toEqual({ recorded: score, again: [score], verdict: "the same" });
      expect(line).toMatchObject({ verdict: "same", workspace: true, workdirDiffersAt: null });
      expect(code).toBe(0);
    }
  });

  it("stands beside the call after which the workdir was another one", async () => {
    const { attempt } = await solved({ mode: "hardened", solve: "echo done > out.txt\nod -An -N8 -tx1 /dev/urandom > stamp\n" });
    const { code, line } = await tools(attempt, 1, "local-unsafe");
    expect(line).toMatchObject({ verdict: "diverged", workspace: false, workdirDiffersAt: 1, verifier: { verdict: "the same" } });
    expect(code).toBe(1);
  });

  it("is another one where the tests are others, and then the answer is no", async () => {
    const attempt = await passed(() => "mkdir -p $FORGE_LOGS/verifier; echo 0 > $FORGE_LOGS/verifier/reward.txt\n");
    const { code, line } = await tools(attempt, 1, "local-unsafe");
    expect(line.verifier).toEqual({ recorded: 1, again: [0], verdict: "another" });
    expect(line.notes.join(" ")).toContain("its digest differs");
    expect(line.verdict).toBe("diverged");
    expect(code).toBe(1);
  });

  it("that also differs between the replays counts against nobody", async () => {
    const attempt = await passed((folder) => {
      const turns = join(folder, "turns");
      return `mkdir -p $FORGE_LOGS/verifier; if [ -e ${turns} ]; then echo 1; else touch ${turns}; echo 0; fi > $FORGE_LOGS/verifier/reward.txt\n`;
    });
    const { code, line } = await tools(attempt, 2, "local-unsafe");
    expect(line.verifier).toEqual({ recorded: 1, again: [0, 1], verdict: "nondeterministic" });
    expect(code).toBe(0);
  });
});
