import { spawn } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { jobFolder, type JobFolder } from "../../../evals/job/job-folder.ts";
import { jobLockSchema, type JobLock } from "../../../evals/job/job-lock.ts";
import type { TrialPlace } from "../../../evals/trial/trial-place.ts";
import { trialRecordSchema, type TrialRecord } from "../../../evals/trial/trial-record.ts";
import { trialKey, type KeyComponents, trialSeed } from "../../../evals/trial/trial-key.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import { ownSuitesFolder } from "../../../tasks/formats/own-suites.ts";
import { command } from "../command.ts";
import type { Measure } from "../measure.ts";
import { median } from "../median.ts";

const [tasks, repeats, rounds] = [50, 50, 3];
const configurations = ["bare", "standard"] as const;
const trials = tasks * configurations.length * repeats;

/**
 * Resuming a job of 5,000 finished trials: the command as a user types it, from its start to its first new trial, and beside it that of a job of the same
 * suite that has nothing yet. One repeat of each task is real; the others are copies of it with their own places, seeds, keys and hashes.
 */
export async function measureResume(root: string, folder: string, say: (line: string) => void): Promise<Measure[]> {
  const suite = join(folder, "suite");
  const out = join(folder, "resumed");
  for (let i = 0; i < tasks; i++) await cp(join(ownSuitesFolder(), "demo", "greet"), join(suite, `task-${i}`), { recursive: true });
  const bench = ["bench", suite, ...configurations.flatMap((name) => ["--config", name]), "--agent", "nop", "--sandbox", "local-unsafe"];
  say(`resume: one real trial of each of ${tasks} tasks with each of ${configurations.length} configurations`);
  await command(root, [...bench, "--repeats", "1", "--out", out]);
  say(`resume: the records of ${trials} trials`);
  await multiply(jobFolder(out));
  const resumed: number[] = [];
  const fresh: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    resumed.push(await untilFirstTrial(root, ["jobs", "resume", out, "--repeats", String(repeats + round), "--json"]));
    fresh.push(await untilFirstTrial(root, [...bench, "--repeats", String(repeats), "--json", "--out", join(folder, `fresh-${round}`)]));
    say(`resume: the first new trial after ${resumed.at(-1)?.toFixed(0)} ms, of a new job after ${fresh.at(-1)?.toFixed(0)} ms`);
  }
  const what = `first new trial of a job of ${trials} finished ones`;
  const each = `whole command, median of ${rounds}: ${tasks} tasks × ${configurations.length} configurations × ${repeats} repeats`;
  return [
    { what, value: median(resumed), unit: "ms", limit: { at: "most", value: 1000 }, note: `${each}, one repeat added` },
    { what: "first trial of a new job of that suite", value: median(fresh), unit: "ms", note: each },
  ];
}

/** Writes the other repeats into a job of one, as the run that made it would have. */
async function multiply(job: JobFolder): Promise<void> {
  const lock = jobLockSchema.parse(JSON.parse(await readFile(job.lock, "utf8")));
  const config = JSON.parse(await readFile(job.config, "utf8")) as Record<string, unknown>; // just written by the command
  let journal = "";
  for (const task of Object.keys(lock.tasks))
    for (const configuration of Object.keys(lock.configurations)) {
      const first = { task, configuration, repeat: 1 };
      const record = trialRecordSchema.parse(JSON.parse(await readFile(join(job.path, job.trial(first), "result.json"), "utf8")));
      for (let repeat = 2; repeat <= repeats; repeat++) journal += await copied(job, lock, record, { ...first, repeat });
    }
  await writeFile(job.journal, journal, { flag: "a" });
  await writeFile(job.lock, JSON.stringify({ ...lock, repeats }, null, 2));
  await writeFile(job.config, JSON.stringify({ ...config, repeats }, null, 2));
}

/** Answers the journal's lines. */
async function copied(job: JobFolder, lock: JobLock, record: TrialRecord, place: TrialPlace): Promise<string> {
  const task = lock.tasks[place.task];
  const configuration = lock.configurations[place.configuration];
  if (!task || !configuration) throw new Error(`The lock knows nothing of ${place.task} and ${place.configuration}.`);
  const components: KeyComponents = {
    taskDigest: task.digest,
    mode: task.mode,
    harnessHash: configuration.harnessHash,
    forgeVersion: lock.forgeVersion,
    modelHash: configuration.modelHash,
    sandbox: lock.sandbox,
    limits: task.limits as KeyComponents["limits"], // as the command wrote them
    agent: lock.agent,
  };
  const trace = job.attempt(place, 1);
  const key = trialKey(components, place.repeat);
  const text = JSON.stringify({ ...record, ...place, key, seed: trialSeed(place.task, place.repeat), trace }, null, 2);
  await mkdir(join(job.path, trace), { recursive: true });
  await writeFile(join(job.path, trace, "record.json"), text);
  await writeFile(join(job.path, job.trial(place), "result.json"), text);
  const lines = [
    { t: "attempt.start", ts: 0, ...place, attempt: 1 },
    { t: "attempt.end", ts: 0, ...place, attempt: 1, class: record.class, sha256: sha256(text) },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Milliseconds from the start of the command to the event of its first trial. It is stopped then, and has ended when this answers. */
async function untilFirstTrial(root: string, args: readonly string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [join(root, "dist", "cli", "main.js"), ...args], { stdio: ["ignore", "pipe", "ignore"] });
  const over = new Promise((resolve) => child.once("exit", resolve));
  let first: number | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (first !== undefined || !line.startsWith('{"type":"trial.start"')) continue;
    first = performance.now() - began;
    child.kill("SIGINT");
  }
  await over;
  if (first === undefined) throw new Error(`forge ${args.join(" ")} ended without a trial.`);
  return first;
}
