import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { performance } from "node:perf_hooks";
import { createBenchPorts } from "../../../assembly/create-bench-ports.ts";
import { pool } from "../../../harness/pool.ts";
import { createSuiteMemory, type AttemptSetting, type TrialPlan } from "../../../evals/trial/trial-plan.ts";
import { runTrial } from "../../../evals/trial/attempt/run-trial.ts";
import type { ResolvedConfig } from "../../../harness/contract/resolved-config.ts";
import { createOracleModel } from "../../../harness/models/scripted/baseline-models.ts";
import { connect, connectionFromEnvironment } from "../../../harness/sandbox/docker/daemon/connection.ts";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";
import type { Suite, Task } from "../../../tasks/task.ts";
import { command } from "../command.ts";
import type { Measure, Measured } from "../measure.ts";
import { measureSlots } from "./measure-slots.ts";
import { median } from "../median.ts";
import { trialByHand } from "../trial-by-hand.ts";

const taskName = "greet";
const rounds = 9;
const crowd = { trials: 8, jobs: 4, rounds: 3 };
const whatOne = "a trivial oracle trial in Docker against the same by hand";
const whatCrowd = `a job of ${crowd.trials} such trials, ${crowd.jobs} at a time, against as many by hand`;
const slots = { trials: 60, jobs: 4 };
const whatSlots = `share of slot time with agent or verifier, ${slots.trials} trials`;

/** The agent is the oracle, so nothing of a configuration is used but its name. */
const config: ResolvedConfig = {
  name: "speed",
  hash: "0".repeat(64),
  model: { name: "sim/default", protocol: "native", maxOutputTokens: 1000 },
  system: [],
  tools: [],
  middleware: [],
  limits: {},
};

export async function measureTrials(
  root: string,
  folder: string,
  say: (line: string) => void,
  withoutDocker: { reason: string; cure: string } | undefined,
): Promise<Measure[]> {
  if (withoutDocker) {
    const skipped = `${withoutDocker.reason}; provided by: ${withoutDocker.cure}`;
    return [whatOne, whatCrowd, whatSlots].map((what) => ({ what, skipped }));
  }
  const suite = await loadSuite("demo", { wants: (name) => name === taskName });
  const own = { ...suite, tasks: suite.tasks.filter(({ name }) => name === taskName) };
  const [task] = own.tasks;
  if (!task?.solution) throw new Error(`The demo suite's task ${taskName}, or its solution, is gone: measure another one.`);
  return [
    await oneTrial(folder, say, task, task.solution.folder),
    await manyTrials(root, folder, say, own),
    await measureSlots(folder, say, { what: whatSlots, suite: own, config, ...slots }),
  ];
}

async function oneTrial(folder: string, say: (line: string) => void, task: Task, solution: string): Promise<Measured> {
  const ports = await createBenchPorts({});
  say("trial: building the image, unless it is there");
  const { folder: context, image } = task.environment;
  const prepared = await ports
    .provider("docker")
    .prepare({ name: task.name, ...(context === undefined ? {} : { folder: context }), ...(image === undefined ? {} : { image }) });
  const { signal } = new AbortController();
  const setting = { ports, prepared, memory: createSuiteMemory(), jobs: 1, signal, attempt: 1, job: "speed" };
  const plan: TrialPlan = {
    task,
    configuration: config.name,
    config,
    agent: "oracle",
    model: createOracleModel({ timeoutMs: task.agent.timeoutMs }).identity,
    repeat: 1,
    key: "0".repeat(64),
    seed: 1,
    mode: "hardened",
    sandbox: "docker",
  };
  const docker = connect(connectionFromEnvironment());
  const hand = { docker, image: prepared.digest, workdir: prepared.workdir, solution, tests: task.verifier.testsFolder };
  const forge: number[] = [];
  const byHand: number[] = [];
  let first = 0;
  for (let round = 0; round <= rounds; round++) {
    say(`trial: round ${round} of ${rounds}`);
    const ours = async (): Promise<number> => timed(() => forgeTrial(plan, setting, join(folder, `trial-${round}`)));
    const theirs = (): Promise<number> => timed(() => handTrial(hand));
    const oursFirst = round % 2 === 0;
    const one = oursFirst ? await ours() : await theirs();
    const other = oursFirst ? await theirs() : await ours();
    if (round === 0) {
      first = one; // looks at the untouched workdir, once for all trials of the environment
      continue;
    }
    forge.push(oursFirst ? one : other);
    byHand.push(oursFirst ? other : one);
  }
  const [ms, handMs] = [median(forge), median(byHand)];
  const note = `${ms.toFixed(0)} ms against ${handMs.toFixed(0)} ms, medians of ${rounds}; a suite's first trial ${first.toFixed(0)} ms`;
  return { what: whatOne, value: ms / handMs, unit: "×", limit: { at: "most", value: 1.5 }, note };
}

async function forgeTrial(plan: TrialPlan, setting: Omit<AttemptSetting, "folder" | "trace">, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { passed, error } = await runTrial(plan, { ...setting, folder, trace: basename(folder) });
  if (passed !== true) throw new Error(`The measured trial did not pass: ${error ?? "its verifier says so"}`);
}

async function handTrial(hand: Parameters<typeof trialByHand>[0]): Promise<void> {
  const reward = await trialByHand(hand);
  if (reward !== "1") throw new Error(`The trial by hand did not pass: its reward is "${reward}"`);
}

/** The whole command, from the start of its process to its end with the image built, against as many trials by hand, as many at a time. */
async function manyTrials(root: string, folder: string, say: (line: string) => void, suite: Suite): Promise<Measured> {
  const [task] = suite.tasks;
  if (!task?.solution) throw new Error("The measured task has no solution.");
  const ports = await createBenchPorts({});
  const { digest: image, workdir } = await ports.provider("docker").prepare(task.environment);
  const docker = connect(connectionFromEnvironment());
  const hand = { docker, image, workdir, solution: task.solution.folder, tests: task.verifier.testsFolder };
  const what = ["bench", "demo", "--filter", taskName, "--agent", "oracle", "--sandbox", "docker"];
  const asked = [...what, "--repeats", String(crowd.trials), "--jobs", String(crowd.jobs)];
  const forge: number[] = [];
  const byHand: number[] = [];
  for (let round = 1; round <= crowd.rounds; round++) {
    say(`trials: ${crowd.trials}, ${crowd.jobs} at a time, round ${round} of ${crowd.rounds}`);
    const out = join(folder, `job-${round}`);
    const ours = (): Promise<void> => command(root, [...asked, "--out", out]);
    const theirs = (): Promise<void> => pool(Array.from({ length: crowd.trials }), crowd.jobs, () => handTrial(hand));
    const oursFirst = round % 2 === 0;
    if (oursFirst) forge.push(await timed(ours));
    byHand.push(await timed(theirs));
    if (!oursFirst) forge.push(await timed(ours));
  }
  const [ms, handMs] = [median(forge), median(byHand)];
  const note = `${(ms / 1000).toFixed(1)} s against ${(handMs / 1000).toFixed(1)} s, medians of ${crowd.rounds}`;
  return { what: whatCrowd, value: ms / handMs, unit: "×", limit: { at: "most", value: 1.6 }, note };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}
