import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { jobResultSchema, type JobResult } from "../../evals/job/results/job-result.ts";
import { leftInDocker } from "./stage/left-overs.ts";

export interface KillCampaign {
  /** The compiled command, `dist/cli/main.js`. */
  readonly main: string;
  /** Empty; suite and jobs are made in it. */
  readonly folder: string;
  readonly kills: number;
  /** Of each of three tasks in each configuration; left out: two. */
  readonly repeats?: number;
  /** Left out: two. */
  readonly configurations?: readonly string[];
  readonly seed: number;
  readonly sandbox: string;
  readonly say: (line: string) => void;
}

export interface KillSummary {
  readonly kills: number;
  readonly jobs: number;
  /** Trials of an undisturbed job, and its milliseconds. */
  readonly trials: number;
  readonly undisturbedMs: number;
  /** Attempts that a kill broke off, over all jobs. */
  readonly brokenOff: number;
  /** Each a sentence; none: everything held. */
  readonly problems: readonly string[];
}

/** What a bench of solutions ends with where one of them is wrong. */
const wholeCode = 1;
/** Three tasks, of which the solution of one is wrong. */
const tasks = { quick: "echo done > out.txt", slow: "sleep 0.7; echo done > out.txt", wrong: "sleep 0.2; echo other > out.txt" };

/** Kills the bench of one job after another until there were `kills` kills, and checks each job when it has come to its end. */
export async function killCampaign(o: KillCampaign): Promise<KillSummary> {
  makeSuite(join(o.folder, "tasks"));
  const problems: string[] = [];
  const begin = performance.now();
  const calm = await run(o, "calm");
  const undisturbedMs = performance.now() - begin;
  if (calm.code !== wholeCode) throw new Error(`The undisturbed bench ended with ${calm.code}: ${calm.stderr}`);
  const reference = tableOf(resultOf(o, "calm"));
  const trials = resultOf(o, "calm").trials;
  o.say(`undisturbed: ${trials} trials in ${(undisturbedMs / 1000).toFixed(1)} s: ${reference}`);
  const random = mulberry32(o.seed);
  let [kills, jobs, brokenOff] = [0, 0, 0];
  let spanMs = undisturbedMs; // the shortest whole job so far: a machine that is busy at first must not make later kills come too late
  while (kills < o.kills) {
    jobs += 1;
    const job = `job-${jobs}`;
    const published: string[] = [];
    const moments: string[] = [];
    for (;;) {
      const afterMs = kills < o.kills ? Math.round(random() * spanMs) : undefined;
      const started = performance.now();
      const ended = await run(o, job, afterMs);
      if (ended.code === wholeCode && moments.length === 0) spanMs = Math.min(spanMs, performance.now() - started);
      published.push(...ended.published);
      if (ended.code === wholeCode) break;
      if (ended.code !== null) {
        problems.push(`${job}: a resumed bench ended with exit code ${ended.code}: ${ended.stderr.trim().slice(-300)}`);
        break;
      }
      kills += 1;
      moments.push(`${afterMs} ms`);
    }
    const found = await inspect(o, job, { reference, published });
    problems.push(...found.problems.map((problem) => `${job}: ${problem}`));
    brokenOff += found.brokenOff;
    o.say(
      `${job}: ${moments.length} kills (${moments.join(", ")}), ${found.brokenOff} attempts broken off, ${found.problems.length === 0 ? "holds" : found.problems.join("; ")}`,
    );
  }
  return { kills, jobs, trials, undisturbedMs: Math.round(undisturbedMs), brokenOff, problems };
}

interface Ended {
  /** null: killed. */
  readonly code: number | null;
  readonly published: readonly string[];
  readonly stderr: string;
}

/** `afterMs`: SIGKILL to the runner alone then, as the kernel or an operator would; its reaper lives on. */
async function run(o: KillCampaign, job: string, afterMs?: number): Promise<Ended> {
  const configurations = (o.configurations ?? ["bare", "standard"]).flatMap((name) => ["--config", name]);
  const args = ["bench", "tasks", "--agent", "oracle", ...configurations, "--jobs", "2"];
  const child = spawn(
    process.execPath,
    [o.main, ...args, "--repeats", String(o.repeats ?? 2), "--sandbox", o.sandbox, "--out", job, "--json"],
    {
      cwd: o.folder,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const code = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const timer = afterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), afterMs);
  let stderr = "";
  child.stderr.on("data", (piece: Buffer) => (stderr += piece.toString()));
  const published: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const event = parsed(line);
    if (event["type"] !== "trial.end") continue;
    const { task, configuration, repeat } = event["trial"] as Record<string, unknown>; // our own event
    published.push(`${String(task)} ${String(configuration)} ${String(repeat)}`);
  }
  const ended = await code;
  clearTimeout(timer);
  return { code: ended, published, stderr };
}

/** A line that the kill cut says nothing. */
function parsed(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>; // our own event
  } catch {
    return {};
  }
}

async function inspect(o: KillCampaign, job: string, seen: { reference: string; published: readonly string[] }) {
  const problems: string[] = [];
  const result = resultOf(o, job);
  const table = tableOf(result);
  if (table !== seen.reference) problems.push(`the table is ${table}`);
  if (new Set(seen.published).size !== seen.published.length) problems.push("a trial was published twice");
  const files = readdirSync(join(o.folder, job, "trials"), { recursive: true, encoding: "utf8" });
  const sealed = files.filter((path) => path.endsWith("seal.json")).length;
  if (sealed !== result.trials) problems.push(`${sealed} sealed attempts for ${result.trials} trials`);
  const results = files.filter((path) => path.endsWith("result.json")).length;
  if (results !== result.trials) problems.push(`${results} results for ${result.trials} trials`);
  const set = readdirSync(join(o.folder, job)).includes("unfinished") ? readdirSync(join(o.folder, job, "unfinished")) : [];
  const left = o.sandbox === "docker" ? await leftInDocker(result.job) : [];
  if (left.length > 0) problems.push(`left in Docker: ${left.join(", ")}`);
  return { problems, brokenOff: set.length };
}

const resultOf = (o: KillCampaign, job: string): JobResult =>
  jobResultSchema.parse(JSON.parse(readFileSync(join(o.folder, job, "result.json"), "utf8")));

/** What must not depend on disturbances: everything but times. */
function tableOf({ status, trials, recorded, unscored, configurations }: JobResult): string {
  const arms = configurations.map((one) => [
    one.configuration,
    one.trials,
    one.passed,
    one.failed,
    one.unscored,
    one.infraAttempts,
    one.turns,
    one.tokens,
  ]);
  return JSON.stringify([status, trials, recorded, unscored, arms]);
}

function makeSuite(folder: string): void {
  for (const [name, solve] of Object.entries(tasks)) {
    const files = {
      "task.toml":
        'version = "1.0"\n[metadata]\ndifficulty = "easy"\n[metadata.forge]\nfamily = "kill"\nsplit = "train"\nlocal = true\n[environment]\nallow_internet = false\n',
      "instruction.md": "Write done to out.txt.\n",
      "environment/Dockerfile": "FROM forge-base/debian:bookworm\nWORKDIR /app\n",
      "solution/solve.sh": `${solve}\n`,
      "tests/test.sh": `logs="\${FORGE_LOGS:-/logs}/verifier"\nif grep -q done "\${FORGE_WORKDIR:-/app}/out.txt"; then echo 1; else echo 0; fi > "$logs/reward.txt"\n`,
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name, path)), { recursive: true });
      writeFileSync(join(folder, name, path), text);
    }
  }
}

/** A small seeded generator of numbers in [0, 1). */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
