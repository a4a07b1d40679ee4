import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bench } from "../../evals/bench/bench.ts";
import type { Agent, BenchPorts } from "../../evals/bench-ports.ts";
import { trialRecordSchema, type TrialRecord } from "../../evals/trial/trial-record.ts";
import type { Task } from "../../tasks/task.ts";
import { plainConfig } from "./plain-config.ts";

/** One hardened trial of an agent, in a job that is thrown away. */
export async function trialOf(task: Task, agent: Agent, ports: BenchPorts): Promise<TrialRecord> {
  const folder = await mkdtemp(join(tmpdir(), "forge-attacks-"));
  try {
    const result = await bench(
      {
        suite: { name: task.name, digest: task.digest, tasks: [task] },
        configurations: [plainConfig],
        agent,
        repeats: 1,
        sandbox: "docker",
        mode: "hardened",
        jobs: 1,
        out: join(folder, "job"),
        asked: { folder }, // jobs that ask for the same are the same, and each removes what the other still uses at its end
      },
      ports,
      { retryMs: 1 },
    );
    const text = await readFile(join(result.folder, "trials", task.name, "plain", "1", "result.json"), "utf8");
    return trialRecordSchema.parse(JSON.parse(text));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
