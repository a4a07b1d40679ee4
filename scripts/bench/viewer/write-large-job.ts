import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FinishedJob } from "../../../evals/job/results/load-job.ts";
import { jobFolder } from "../../../evals/job/job-folder.ts";
import type { JobLock } from "../../../evals/job/job-lock.ts";
import type { TrialRecord } from "../../../evals/trial/trial-record.ts";
import { jsonText } from "../../../harness/files/write-json.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";

const identity: TrialRecord["modelIdentity"] = { provider: "local", name: "made-up", protocol: "native", priceTable: null };

export interface JobSize {
  readonly tasks: number;
  readonly configurations: number;
  readonly repeats: number;
}

/** A finished job with a made-up result for every trial, and no traces. Answers the number of trials. */
export async function writeLargeJob(path: string, size: JobSize): Promise<number> {
  const job = jobFolder(path);
  await mkdir(path, { recursive: true });
  await writeFile(job.lock, JSON.stringify(lockOf(size)));
  let journal = `${JSON.stringify({ t: "job.open", ts: 0, jobs: 4 })}\n`;
  let trials = 0;
  for (const record of recordsOf(size)) {
    const { task, configuration, repeat, class: kind, passed } = record;
    const place = { task, configuration, repeat };
    trials++;
    await mkdir(join(path, job.trial(place)), { recursive: true });
    const text = jsonText({ ...record, trace: job.attempt(place, 1) });
    await writeFile(join(path, job.trial(place), "result.json"), text);
    journal += `${JSON.stringify({ t: "attempt.end", ts: 0, ...place, attempt: 1, class: kind, passed, sha256: sha256(text) })}\n`;
  }
  await writeFile(job.journal, `${journal}${JSON.stringify({ t: "job.close", ts: 0, status: "finished" })}\n`);
  return trials;
}

/** The same in memory. */
export const largeJob = (size: JobSize): FinishedJob => ({ folder: "large", lock: lockOf(size), records: [...recordsOf(size)] });

const tasksOf = ({ tasks }: JobSize): string[] => Array.from({ length: tasks }, (_, i) => `task-${String(i).padStart(4, "0")}`);
const configurationsOf = ({ configurations }: JobSize): string[] => Array.from({ length: configurations }, (_, i) => `configuration-${i}`);

function lockOf(size: JobSize): JobLock {
  return {
    v: 1,
    job: "large",
    forgeVersion: "0.1.0",
    suite: { name: "large", digest: sha256("large") },
    agent: "configured",
    sandbox: "docker",
    repeats: size.repeats,
    tasks: Object.fromEntries(
      tasksOf(size).map((name) => [
        name,
        { digest: sha256(name), mode: "hardened", family: "made", difficulty: "medium", split: null, limits: {} },
      ]),
    ),
    configurations: Object.fromEntries(
      configurationsOf(size).map((name) => [name, { harnessHash: sha256(name), modelHash: sha256("m"), model: identity, config: {} }]),
    ),
  };
}

function* recordsOf(size: JobSize): Generator<TrialRecord> {
  const configurations = configurationsOf(size);
  for (const [t, task] of tasksOf(size).entries())
    for (const [c, configuration] of configurations.entries())
      for (let repeat = 1; repeat <= size.repeats; repeat++)
        yield recordOf({ task, configuration, repeat }, (t * 7 + c * 3 + repeat * 5) % 11 < 4 + c);
}

function recordOf(place: { task: string; configuration: string; repeat: number }, passed: boolean): TrialRecord {
  const key = sha256(JSON.stringify(place));
  return {
    v: 1,
    key,
    ...place,
    taskDigest: sha256(place.task),
    family: "made",
    difficulty: "medium",
    harnessHash: sha256(place.configuration),
    forgeVersion: "0.1.0",
    agent: "configured",
    modelIdentity: identity,
    attempt: 1,
    class: passed ? "passed" : "agent",
    rewards: { reward: passed ? 1 : 0 },
    score: passed ? 1 : 0,
    passed,
    tokens: { in: 4000 + place.repeat * 10, out: 700, cached: 0 },
    costUsd: 0.01,
    priceTable: null,
    turns: 8,
    interventions: 0,
    activeMs: 12_000,
    wallMs: 15_000,
    seed: 1,
    sandbox: "docker",
    mode: "hardened",
    simulated: false,
    servedModel: null,
    imageDigest: null,
    deviations: [],
    load: { cpus: 2, average: 1, jobs: 4 },
    usage: null,
    outcome: { type: "done" },
    replyDigest: key,
    workspaceHash: null,
    trace: "",
    startedAt: 1_767_225_600_000,
  };
}
