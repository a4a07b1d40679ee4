import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { replayTools } from "../../cli/replay-tools.ts";
import { bench } from "../../evals/bench.ts";
import { toolSchemas } from "../../harness/tools/tool-schemas.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import { benchPorts, fixtureConfig, fixtureRequest, removeScratch } from "../evals/bench-fixture.ts";
import { said } from "./said.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 }); // real sandboxes on a machine that may be busy

interface Line {
  readonly type: string;
  readonly verdict: string;
  readonly workspace: boolean | null;
  readonly steps: readonly { readonly verdict: string; readonly tool: string }[];
}

async function tools(folder: string, times: number): Promise<{ code: number; line: Line }> {
  const { code, lines } = await said(() => replayTools([folder], { times, json: true }));
  expect(lines).toHaveLength(1);
  return { code, line: lines[0] as unknown as Line }; // its shape is what the test is about
}

describe("forge replay --tools", () => {
  let trial = "";
  beforeAll(async () => {
    const { tasks } = await loadSuite("demo");
    const task = tasks.find((one) => one.name === "greet") ?? tasks[0];
    if (!task) throw new Error("the demo suite is empty");
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
    expect(line).toMatchObject({ verdict: "same", workspace: true });
    expect(line.steps.length).toBeGreaterThan(1);
    for (const { verdict } of line.steps) expect(["exact", "normalized"]).toContain(verdict);
  });
});
