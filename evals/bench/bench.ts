import { createBudget } from "./schedule/budget.ts";
import type { BenchOptions, BenchRequest } from "./bench-request.ts";
import type { BenchEvent } from "./bench-events.ts";
import type { BenchPorts } from "../bench-ports.ts";
import { createJobState, type JobState } from "./job-state.ts";
import { openJournal, type Journal } from "../job/journal.ts";
import { journalLine } from "./journal-events.ts";
import type { JobResult } from "../job/results/job-result.ts";
import { newJob, openJob } from "./open-job.ts";
import { lockRunner } from "../job/runner-lock.ts";
import { makeFolder } from "../../harness/files/make-folder.ts";
import { prepareImages } from "./prepare-images.ts";
import { resolveJob, type ResolvedJob } from "./resolve-job.ts";
import { runSlot, type Ahead } from "./run-slot.ts";
import { createAdmission } from "./schedule/admission.ts";
import { watchHost } from "./schedule/host-state.ts";
import { createScheduler } from "./schedule/scheduler.ts";
import { lookAt, type JobLooks } from "./look-at-job.ts";
import { createStops, type Stops } from "./schedule/stops.ts";
import { createSuiteMemory, type TrialPlan } from "../trial/trial-plan.ts";
import { writeJson } from "../../harness/files/write-json.ts";

/**
 * Runs a suite over configurations, and goes on with a job that was started before: finished trials are not run again. Every trial leaves a sealed
 * trace in the job's folder; `result.json` is written at the end, also of a job that was stopped.
 * @throws ConfigError or CannotError before any trial, and ConfigError when a trial shows that the configuration cannot work.
 */
export async function bench(request: BenchRequest, ports: BenchPorts, o: BenchOptions = {}): Promise<JobResult> {
  const resolved = await resolveJob(request, ports);
  const asked = newJob(request, resolved.config);
  const { path } = asked;
  const emit = o.onEvent ?? ((): void => undefined);
  const { now } = ports.clock;
  await makeFolder(path, "hold the job");
  const waiting = AbortSignal.any([...(o.stop ? [o.stop] : []), ...(o.signal ? [o.signal] : [])]);
  const lock = await lockRunner(path, {
    clock: ports.clock,
    signal: waiting,
    onWait: (pid) => emit({ type: "job.wait", ts: now(), job: asked.id, pid }),
  });
  const stops = createStops(o);
  try {
    const { job, id } = await openJob(asked, resolved.config, resolved.lock, resolved.leftOut);
    const journal = await openJournal(job.journal);
    try {
      await journal.add({ t: "job.open", ts: now(), pid: process.pid, forgeVersion: ports.forgeVersion, jobs: resolved.jobs });
      const state = await createJobState(job, id, request, resolved, { journal, now }).catch(async (error: unknown) => {
        // a run that was refused was none: the job is as finished as it was
        const last = journal.past.findLast(({ t }) => t === "job.open" || t === "job.close");
        if (last?.["t"] === "job.close") await journal.add({ ...last, ts: now() });
        throw error;
      });
      emit({ type: "job.start", ts: now(), ...state.start() });
      const tell = told(journal, emit);
      for (const one of resolved.leftOut) tell({ type: "task.left-out", ts: now(), ...one });
      const looks = await lookAt({ lock: resolved.lock, state, journal, stops, now, emit });
      await work({ request, ports, o, resolved, state, journal, stops, looks, emit: looks ? looks.hear(tell) : tell });
      const result = looks ? looks.result() : state.result(stops.reason, now());
      await writeJson(job.result, result);
      await journal.add({ t: "job.close", ts: now(), status: result.status });
      emit({ type: "job.end", ts: now(), result });
      return result;
    } finally {
      await journal.close();
    }
  } finally {
    stops.dispose();
    await lock.release();
  }
}

/** Those who watch from another process read the journal. It is no reason to end a job where that cannot be written. */
function told(journal: Journal, emit: (event: BenchEvent) => void): (event: BenchEvent) => void {
  return (event) => {
    const line = journalLine(event);
    if (line) journal.add(line).catch(() => undefined);
    emit(event);
  };
}

interface Work {
  readonly request: BenchRequest;
  readonly ports: BenchPorts;
  readonly o: BenchOptions;
  readonly resolved: ResolvedJob;
  readonly state: JobState;
  readonly journal: Journal;
  readonly stops: Stops;
  readonly looks: JobLooks | undefined;
  readonly emit: (event: BenchEvent) => void;
}

/** Shorter ones are over before anybody could read of them. */
const shortestPauseMs = 1_000;

/** Trials, and ahead of them the images they need, until all are done or the job is stopped. */
async function work({ request, ports, o, resolved, state, journal, stops, looks, emit }: Work): Promise<void> {
  const todo = state.todo().filter((plan) => looks?.wants(plan) ?? true);
  const { clock } = ports;
  const { now } = clock;
  const provider = ports.provider(resolved.sandbox);
  // Also when nothing is left to do: a killed runner may have left its last container. What does not answer now is told by what comes next.
  await provider.sweep().catch(() => 0);
  if (todo.length === 0) return;
  const tasks = resolved.tasks.filter(({ name }) => todo.some(({ task }) => task.name === name));
  const unneeded = new AbortController();
  const host = watchHost(provider, state.job.path, now);
  const admission = createAdmission();
  const images = prepareImages(tasks, provider, {
    jobs: 2,
    host,
    admission,
    signal: AbortSignal.any([stops.signal, unneeded.signal]),
    stopped: () => stops.reason !== undefined,
    now,
    onEvent: emit,
    hardened: (task) => resolved.lock.tasks[task]?.mode === "hardened",
  });
  const memory = createSuiteMemory();
  const limits = new Map(request.configurations.map(({ name, limits: { costUsd } }) => [name, costUsd]));
  const budget = createBudget(request.maxCostUsd, state.costs(), limits);
  const scheduler = createScheduler(todo, {
    budget,
    stops,
    clock,
    ready: images.ready,
    onReady: images.onReady,
    host,
    admission,
    ...(looks ? { wants: looks.wants } : {}),
    onEvent: emit,
  });
  let failure: { error: unknown } | undefined;
  // The other kinds make a sandbox in milliseconds.
  const ahead = resolved.sandbox === "docker" ? new Map<TrialPlan, Ahead>() : undefined;

  const slot = (): Promise<void> =>
    runSlot({
      scheduler,
      state,
      budget,
      images,
      admission,
      stops,
      ...(ahead && { ahead }),
      attempts: {
        ports,
        job: state.job,
        jobId: state.id,
        journal,
        memory,
        jobs: resolved.jobs,
        retryMs: o.retryMs ?? 1_000,
        signal: stops.signal,
        stopped: () => stops.reason !== undefined,
        onEvent: emit,
      },
    }).catch((error: unknown) => {
      failure ??= { error };
    });
  const report = (): void =>
    emit({ type: "job.stop", ts: now(), reason: stops.reason === "stopped" ? "asked" : (stops.reason ?? "asked") });
  stops.onStop(report);
  const deaf = ports.onProviderPause?.(({ provider: name, until }) => {
    if (until - now() >= shortestPauseMs) emit({ type: "provider.pause", ts: now(), provider: name, until });
  });
  await Promise.all(Array.from({ length: resolved.jobs }, slot)).finally(deaf);
  unneeded.abort(new Error("No trial needs this image any more."));
  await images.ended;
  await provider.tidy?.(state.id).catch(() => 0); // what a daemon that was away still has; the next start's sweep tries again
  if (failure) throw failure.error;
}
