import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { resumeJob } from "../../../cli/jobs/resume-job.ts";
import { runBench } from "../../../cli/bench/run-bench.ts";
import { startModelServer } from "../../servers/model-server.ts";

const scratch: string[] = [];
afterAll(async () => {
  for (const folder of scratch) await rm(folder, { recursive: true, force: true });
});

it("gives no variable to a job's tasks on the word of the job alone: it may be somebody else's", async () => {
  const job = await mkdtemp(join(tmpdir(), "forge-resume-"));
  scratch.push(job);
  const asked = { suite: join(job, "nowhere"), config: ["bare"], model: null, baseUrl: null, taskEnv: ["ANTHROPIC_API_KEY"] };
  const config = { agent: "oracle", repeats: 1, filter: null, mode: null, sandbox: null, asked };
  await writeFile(join(job, "config.json"), JSON.stringify(config));
  await writeFile(join(job, "lock.json"), JSON.stringify({ v: 1, cwd: process.cwd() }));
  await expect(resumeJob(job, {})).rejects.toThrow('gives tasks "ANTHROPIC_API_KEY" of your environment');
  await expect(resumeJob(job, { taskEnv: ["PATH"] })).rejects.toThrow("Allow it again: name each by --task-env.");
  await expect(resumeJob(job, { taskEnv: ["ANTHROPIC_API_KEY"] })).rejects.toThrow("there is no such folder"); // the suite: one step further
});

it("holds a job to the cost that was last said for it, until it is said anew", async () => {
  const parent = await mkdtemp(join(tmpdir(), "forge-resume-"));
  scratch.push(parent);
  const out = join(parent, "job");
  const quiet = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write").mockReturnValue(true));
  const result = async () => {
    const { recorded, status } = JSON.parse(await readFile(join(out, "result.json"), "utf8")) as { recorded: number; status: string };
    return [recorded, status];
  };
  try {
    await runBench("demo", { config: ["bare"], sandbox: "local", repeats: 1, jobs: 1, maxCost: 0.000001, json: true, out });
    expect(await result()).toEqual([1, "max-cost"]); // before the first has ended, nobody knows what one costs
    await resumeJob(out, { json: true });
    expect(await result()).toEqual([1, "max-cost"]);
    await resumeJob(out, { json: true, maxCost: 100 });
    expect(await result()).toEqual([6, "finished"]);
  } finally {
    for (const spy of quiet) spy.mockRestore();
  }
});

it("goes on with the price that was said for a model without one", async () => {
  const parent = await mkdtemp(join(tmpdir(), "forge-resume-"));
  scratch.push(parent);
  const out = join(parent, "job");
  const server = await startModelServer({
    replies: Array.from({ length: 50 }, () => ({ text: "Done.", usage: { input: 10, output: 2 } })),
  });
  const quiet = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write").mockReturnValue(true));
  const status = async () => (JSON.parse(await readFile(join(out, "result.json"), "utf8")) as { status: string }).status;
  try {
    const model = { model: "local/unpriced", baseUrl: server.url, price: { input: 1, output: 1 } };
    const how = { sandbox: "local-unsafe", repeats: 1, jobs: 1, json: true, yes: true } as const;
    await runBench("demo", { config: ["bare"], ...model, ...how, maxCost: 0.000001, out });
    expect(await status()).toBe("max-cost");
    await resumeJob(out, { json: true, yes: true, maxCost: 100 });
    expect(await status()).toBe("finished");
  } finally {
    for (const spy of quiet) spy.mockRestore();
    await server.close();
  }
});
