import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { configRegistry, createBenchPorts } from "../../cli/assemble.ts";
import { bench } from "../../evals/bench.ts";
import type { BenchRequest } from "../../evals/bench-request.ts";
import { resolveJob } from "../../evals/resolve-job.ts";
import { jobFolder } from "../../evals/job/job-folder.ts";
import type { TrialRecord } from "../../evals/trial-record.ts";
import { benchSources } from "../../harness/config/config-source.ts";
import { loadConfig } from "../../harness/config/load-config.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import type { Measure } from "./measure.ts";

const [tasks, repeats] = [50, 50];
const mib = 1024 * 1024;

/** Resuming a job of 5,000 finished trials, and the memory of a job of 200 trials, and of one of 800 against one of 400. */
export async function measureJobs(root: string, folder: string, say: (line: string) => void): Promise<Measure[]> {
  return [await resumeTime(join(folder, "resumed"), say), ...(await peakMemory(root, folder, say))];
}

/** Milliseconds from `bench` to its first new trial. The finished trials are copies of one real trial's record, each with its own key. */
async function resumeTime(out: string, say: (line: string) => void): Promise<Measure> {
  const ports = await createBenchPorts({});
  const load = (config: string) =>
    loadConfig(benchSources({ config, cwd: process.cwd(), flags: {}, defaultModel: "sim/default" }), configRegistry);
  const { tasks: own, ...suite } = await loadSuite("demo", { variables: {} });
  const [task] = own;
  if (!task) throw new Error("The demonstration suite has no task.");
  const request: BenchRequest = {
    suite: { ...suite, tasks: Array.from({ length: tasks }, (_, i) => ({ ...task, name: `task-${i}` })) },
    configurations: [await load("bare"), await load("standard")],
    agent: "nop",
    repeats,
    sandbox: "local",
    jobs: 1,
    asked: {},
    out,
  };
  say("jobs: one real trial");
  const { suite: all, ...rest } = request;
  const one = { ...rest, suite: { ...all, tasks: all.tasks.slice(0, 1) }, repeats: 1, out: `${out}-real` };
  await bench(one, ports);
  const real = jobFolder(`${out}-real`);
  const record = JSON.parse(
    await readFile(join(real.path, real.trial({ task: "task-0", configuration: "bare", repeat: 1 }), "result.json"), "utf8"),
  ) as TrialRecord; // just written by bench
  const { plans, config, lock } = await resolveJob(request, ports);
  say(`jobs: ${plans.length} finished trials`);
  const job = jobFolder(out);
  await mkdir(out, { recursive: true });
  await writeFile(job.config, JSON.stringify(config));
  await writeFile(job.lock, JSON.stringify(lock));
  let journal = "";
  for (const plan of plans) {
    const place = { task: plan.task.name, configuration: plan.configuration, repeat: plan.repeat };
    const text = JSON.stringify({ ...record, ...place, key: plan.key, trace: job.attempt(place, 1) }, null, 2);
    await mkdir(join(out, job.attempt(place, 1)), { recursive: true });
    for (const path of [job.attempt(place, 1) + "/record.json", job.trial(place) + "/result.json"]) await writeFile(join(out, path), text);
    for (const t of ["attempt.start", "attempt.end"]) journal += `${JSON.stringify({ t, ts: 0, ...place, attempt: 1 })}\n`;
  }
  await writeFile(job.journal, journal);
  const stop = new AbortController();
  const began = performance.now();
  let first: number | undefined;
  await bench({ ...request, repeats: repeats + 1 }, ports, {
    stop: stop.signal,
    onEvent({ type }) {
      if (type !== "trial.start") return;
      first ??= performance.now() - began;
      stop.abort();
    },
  });
  say(`jobs: the first new trial after ${first?.toFixed(0) ?? "no"} ms`);
  return {
    what: `first new trial of a job of ${plans.length} finished ones`,
    value: first ?? Number.POSITIVE_INFINITY,
    unit: "ms",
    limit: { at: "most", value: 1000 },
    note: `${tasks} tasks × 2 configurations × ${repeats} repeats, one repeat added`,
  };
}

/** Of the whole command, by the kernel's own high-water mark. */
async function peakMemory(root: string, folder: string, say: (line: string) => void): Promise<Measure[]> {
  if (process.platform !== "linux")
    return [{ what: "peak memory of a job of 200 trials", skipped: "the high-water mark is read from /proc" }];
  const peaks: number[] = [];
  for (const each of [40, 80, 160]) {
    say(`jobs: memory of ${each * 5} trials`);
    peaks.push(await peakOf(root, folder, each));
  }
  // Smaller jobs say nothing of growth: until some hundred trials the heap grows because nothing has asked for its garbage yet.
  const [peak = 0, more = 0, twice = 0] = peaks;
  const note = `${peaks.map((one) => (one / mib).toFixed(0)).join(", ")} MiB with 200, 400 and 800 trials`;
  return [
    { what: "peak memory of a job of 200 trials", value: Math.round(peak / mib), unit: "MiB", limit: { at: "most", value: 250 }, note },
    { what: "that of 800 trials against that of 400", value: twice / more, unit: "×", limit: { at: "most", value: 1.1 }, note },
  ];
}

async function peakOf(root: string, folder: string, each: number): Promise<number> {
  const args = ["bench", "demo", "--filter", "greet", "--agent", "oracle", "--sandbox", "local", "--repeats", String(each * 5)];
  const child = spawn(process.execPath, [join(root, "dist", "cli", "main.js"), ...args, "--out", join(folder, `memory-${each}`)], {
    stdio: "ignore",
  });
  let ended = false;
  const code = new Promise<number | null>((resolve) => child.once("exit", resolve)).finally(() => (ended = true));
  let peak = 0;
  while (!ended) {
    const status = await readFile(`/proc/${child.pid}/status`, "latin1").catch(() => "");
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024);
    await wait(100);
  }
  if ((await code) !== 0) throw new Error(`The bench of ${each * 5} trials ended with ${await code}.`);
  return peak;
}
