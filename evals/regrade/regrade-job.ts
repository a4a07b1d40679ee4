import { randomBytes } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import type { Bounds, Environment, PreparedEnvironment, SandboxProvider } from "../../harness/sandbox/provider.ts";
import type { SandboxKind } from "../../harness/sandbox/sandbox.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { Task } from "../../tasks/task.ts";
import { sumsName, sumsText } from "../../harness/archive/sha256-sums.ts";
import type { BenchPorts } from "../bench-ports.ts";
import { chooseSandbox } from "../bench/choose-sandbox.ts";
import { loadJob, type FinishedJob } from "../job/results/load-job.ts";
import { askedBounds } from "../job/asked-bounds.ts";
import { jobFolder } from "../job/job-folder.ts";
import { ruleWithout } from "../study/stopping-rule.ts";
import { removeMaker, writeMaker } from "../job/maker.ts";
import { pool } from "../../harness/pool.ts";
import { guardOf } from "../trial/sandbox/guard.ts";
import { guarded } from "../trial/sandbox/bounds.ts";
import { createSuiteMemory } from "../trial/trial-plan.ts";
import type { TrialRecord } from "../trial/trial-record.ts";
import { jsonText, writeJson, writeWhole } from "../../harness/files/write-json.ts";
import { verifiedApart } from "./what-was-kept.ts";
import { keptInPart } from "./tests-saw-more.ts";
import { isSettled, leftOutTasks, refuseAll, whyLeftOut, type LeftOutTrial } from "./why-left-out.ts";
import { leftOutRecord } from "./regraded-record.ts";
import { NotReachedError } from "./regrade-steps.ts";
import { regradeTrial } from "./regrade-trial.ts";
import type { RegradedTrial, RegradeResult } from "../job/results/regrade-result.ts";

export interface RegradeRequest {
  /** The job's folder. */
  readonly job: string;
  /** The tasks as they are now. Trials of other tasks are taken over as they are. */
  readonly tasks: readonly Task[];
  /** Left out: the job's own. `local-unsafe`: local, whatever the tasks. */
  readonly sandbox?: SandboxKind | "local-unsafe";
  /** Verifications at a time; default 2. */
  readonly jobs?: number;
  /** The tests need no more than what was kept, although they saw more in the trial: the asker's word, without which such trials are refused. */
  readonly keptIsEnough?: boolean;
  /** The job may be anyone's: what it asked for may hold a verification more tightly than this machine would, never less. */
  readonly isForeign?: boolean;
}

export interface RegradeOptions {
  /** Aborted: nothing is kept of this regrade. */
  readonly signal: AbortSignal;
  readonly onTrial?: (trial: RegradedTrial) => void;
}

/**
 * Verifies a job's trials again from the deltas that were kept of them, without agent and model, into `regrades/<id>` of the job: a folder like a
 * job's, with every trial of the job. The job itself stays as it was. A trial of which too little was kept is left out: it has no score there, and why is said;
 * a task that is the reason for all of its trials is not there.
 * @throws ConfigError where no trial is of these tasks; CannotError where of no trial enough was kept, where what was kept of one is only a part of what its
 * tests saw, or no sandbox answers; DamagedError for a kept delta that was changed
 */
export async function regradeJob(request: RegradeRequest, ports: BenchPorts, o: RegradeOptions): Promise<RegradeResult> {
  const path = resolve(request.job);
  const job = await loadJob(path);
  const tasks = new Map(request.tasks.map((task) => [task.name, task]));
  const mine = job.records.filter(({ task }) => tasks.has(task));
  if (mine.length === 0) throw noTrial(path, job.records, [...tasks.keys()]);
  const leftOut: LeftOutTrial[] = [];
  for (const record of mine) {
    const task = tasks.get(record.task);
    const why = task && (await whyLeftOut(path, record, task));
    if (why) leftOut.push({ record, ...why });
  }
  const known = new Map(leftOut.map(({ record, why }) => [record, why]));
  const kept = mine.filter((record) => !known.has(record));
  if (kept.every(isSettled) && leftOut.length > 0) refuseAll(path, leftOut);
  const inPart = kept.flatMap((record) => {
    const task = tasks.get(record.task);
    const how = task && !isSettled(record) ? keptInPart(record, task) : undefined;
    return how === undefined ? [] : [{ record, how }];
  });
  if (!request.keptIsEnough) refuseInPart(path, mine.length, inPart);
  const used = [...new Set(kept.map(({ task }) => task))].flatMap((name) => tasks.get(name) ?? []);
  const sandbox = await chooseSandbox(request.sandbox ?? job.lock.sandbox, used, { ports, harmless: true });
  const provider = ports.provider(sandbox);
  await provider.sweep().catch(() => 0);
  const prepared = new Map<string, PreparedEnvironment>();
  const stepVerifiers = new Map<string, (PreparedEnvironment | undefined)[]>();
  await pool(used, 2, async ({ name, environment, verifier, steps }) => {
    const prepare = (one: Environment): Promise<PreparedEnvironment> => provider.prepare(one, { signal: o.signal });
    prepared.set(name, await prepare(steps ? environment : (verifier.environment ?? environment)));
    const own: (PreparedEnvironment | undefined)[] = [];
    for (const step of steps ?? []) own.push(step.verifier.environment && (await prepare(step.verifier.environment)));
    stepVerifiers.set(name, own);
  });

  const id = `${new Date(ports.clock.now()).toISOString().replaceAll(/[-:]/g, "").slice(0, 15)}-${randomBytes(3).toString("hex")}`;
  const results = jobFolder(join(path, "regrades", id));
  const building = jobFolder(`${results.path}.part`);
  const trials: RegradedTrial[] = [];
  const sums: { readonly path: string; readonly sha256: string; readonly task: string }[] = [];
  const memory = createSuiteMemory();
  const jobs = request.jobs ?? 2;
  const guard = await boundsFor(request, provider, jobs);
  try {
    await mkdir(building.path, { recursive: true });
    await writeMaker(building.path);
    await pool(job.records, jobs, async (record) => {
      o.signal.throwIfAborted();
      const trial = building.trial(record);
      const [task, image] = [tasks.get(record.task), prepared.get(record.task)];
      const folder = join(building.path, trial, `attempt-${record.attempt}`);
      await mkdir(folder, { recursive: true });
      let after: TrialRecord = { ...record, trace: relative(results.path, join(path, record.trace)) };
      let why = known.get(record);
      let ofTask = true;
      if (task && image && why === undefined && !isSettled(record)) {
        const steps = task.steps && { steps: task.steps, verifiers: stepVerifiers.get(task.name) ?? [] };
        const setting = {
          ports,
          job: path,
          jobId: id,
          task: guarded(task, { mode: record.mode, sandbox, guard }),
          prepared: image,
          untouched: () => provider.prepare(task.environment, { signal: o.signal }),
          sandbox,
          folder,
          results: results.path,
          memory,
          signal: o.signal,
        };
        after = await regradeTrial(record, setting, steps).catch((error: unknown) => {
          if (!(error instanceof CannotError)) throw error;
          why = error.message;
          ofTask = !(error instanceof NotReachedError);
          return record;
        });
        for (const used of ["delta", "artifacts"]) await rm(join(folder, used), { recursive: true, force: true });
      }
      if (task && why !== undefined) after = leftOutRecord(record, { ports, job: path, task, sandbox, results: results.path }, why);
      const text = jsonText(after);
      await writeWhole(join(building.path, trial, "result.json"), text);
      sums.push({ path: `${trial}/result.json`, sha256: sha256(text), task: record.task });
      if (!task) return;
      if (why !== undefined && !known.has(record)) leftOut.push({ record, why, ofTask });
      const one = describe(record, after, why !== undefined);
      trials.push(one);
      o.onTrial?.(one);
    });
    if (leftOut.length > 0 && !trials.some(({ how }) => how === "graded" || how === "failed")) refuseAll(path, leftOut);
    const gone = leftOutTasks(trials, leftOut);
    const names = new Set(gone.map(({ task }) => task));
    for (const record of job.records)
      if (names.has(record.task)) await rm(join(building.path, dirname(dirname(building.trial(record)))), { recursive: true, force: true });
    const result = resultOf({
      leftOut: gone,
      job,
      id,
      path,
      folder: results.path,
      mine,
      tasks,
      prepared,
      sandbox,
      trials,
      ports,
      inPart: inPart.length,
    });
    await writeJson(building.lock, lockOf(job, { tasks, without: names, sandbox, forgeVersion: ports.forgeVersion }));
    await writeJson(join(building.path, "regrade.json"), result);
    const there = sums.filter(({ task }) => !names.has(task)).toSorted((a, b) => (a.path < b.path ? -1 : 1));
    await writeWhole(join(building.path, sumsName), sumsText(there));
    await rename(building.path, results.path);
    await removeMaker(results.path);
    return result;
  } catch (error) {
    await rm(building.path, { recursive: true, force: true });
    throw error;
  }
}

/** What a hardened verification is held to: what the job was asked for, else the machine's share. */
async function boundsFor({ job, isForeign }: RegradeRequest, provider: SandboxProvider, jobs: number): Promise<Required<Bounds>> {
  const asked = await askedBounds(resolve(job));
  if (!isForeign) return guardOf(provider, jobs, asked);
  const { memoryMb, storageMb, pids } = await guardOf(provider, jobs);
  return {
    memoryMb: Math.min(memoryMb, asked.memoryMb ?? memoryMb),
    storageMb: Math.min(storageMb, asked.storageMb ?? storageMb),
    pids: Math.min(pids, asked.pids ?? pids),
  };
}

function noTrial(path: string, records: readonly TrialRecord[], asked: readonly string[]): ConfigError {
  const names = [...new Set(records.map(({ task }) => task))];
  return new ConfigError(
    `${path} has no trial of ${asked.slice(0, 3).join(", ")}; its tasks are ${names.slice(0, 20).join(", ")}${names.length > 20 ? ", …" : ""}.`,
  );
}

/** What the tests saw elsewhere is gone, and a score without it would look like one with it. */
function refuseInPart(path: string, of: number, inPart: readonly { readonly record: TrialRecord; readonly how: string }[]): void {
  const [first] = inPart;
  if (!first) return;
  const { task, configuration, repeat } = first.record;
  throw new CannotError(
    `More was judged of ${inPart.length} of ${of} trials in ${path} than was kept of them, the first is ${task}, ${configuration}, repeat ${repeat}: ${first.how}, and only the workdir or the declared paths were kept. Give --kept-is-enough where the tests need nothing else, run their tasks again in a new job, or name the others with --task.`,
  );
}

function describe(before: TrialRecord, after: TrialRecord, isLeftOut: boolean): RegradedTrial {
  const { task, configuration, repeat } = before;
  const verdict = ({ class: kind, score, passed }: TrialRecord) => ({ class: kind, score, passed });
  const how = isLeftOut ? "left-out" : isSettled(before) ? "unchanged" : after.class === "infra" ? "failed" : "graded";
  const why = how === "unchanged" ? before.error : after.error;
  return { task, configuration, repeat, before: verdict(before), after: verdict(after), how, ...(why === undefined ? {} : { why }) };
}

function resultOf(o: {
  job: FinishedJob;
  id: string;
  path: string;
  folder: string;
  mine: readonly TrialRecord[];
  tasks: ReadonlyMap<string, Task>;
  prepared: ReadonlyMap<string, PreparedEnvironment>;
  sandbox: SandboxKind;
  trials: readonly RegradedTrial[];
  ports: BenchPorts;
  inPart: number;
  leftOut: NonNullable<RegradeResult["leftOut"]>;
}): RegradeResult {
  const order = (one: RegradedTrial): string => JSON.stringify([one.task, one.configuration, String(one.repeat).padStart(6, "0")]);
  const tasks: RegradeResult["tasks"] = {};
  for (const { task, taskDigest, imageDigest } of o.mine) {
    if (o.leftOut.some((one) => one.task === task)) continue;
    const now = o.tasks.get(task);
    // The agent's image has no part in what a verifier of its own environment sees.
    const fresh = now && o.prepared.get(task);
    const image = !fresh || verifiedApart(now) ? imageDigest : fresh.digest;
    tasks[task] ??= { digest: { before: taskDigest, now: now?.digest ?? "" }, image: { before: imageDigest, now: image } };
  }
  return {
    v: 1,
    id: o.id,
    folder: o.folder,
    job: o.path,
    forgeVersion: o.ports.forgeVersion,
    sandbox: { before: o.job.lock.sandbox, now: o.sandbox },
    tasks,
    trials: o.trials.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)),
    ...(o.leftOut.length === 0 ? {} : { leftOut: o.leftOut }),
    ...(o.inPart === 0 ? {} : { keptInPart: o.inPart }),
    endedAt: o.ports.clock.now(),
  };
}

/** The job's lock with the tasks of now, so that the results can be compared like a job's. `without`: tasks that are not in them. */
function lockOf(
  { lock }: FinishedJob,
  o: {
    readonly tasks: ReadonlyMap<string, Task>;
    readonly without: ReadonlySet<string>;
    readonly sandbox: SandboxKind;
    readonly forgeVersion: string;
  },
): FinishedJob["lock"] {
  const { tasks, without, sandbox, forgeVersion } = o;
  const entries = Object.entries(lock.tasks).flatMap(([name, entry]) =>
    without.has(name) ? [] : [[name, { ...entry, digest: tasks.get(name)?.digest ?? entry.digest }] as const],
  );
  const { untilDecided: rule } = lock;
  const looks = rule && { untilDecided: ruleWithout(rule, without) };
  return { ...lock, ...looks, forgeVersion, sandbox, tasks: Object.fromEntries(entries) };
}
