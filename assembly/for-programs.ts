import type { BenchEvent } from "../evals/bench/bench-events.ts";
import type { ComparisonReport } from "../evals/compare/comparison-report.ts";
import type { JobResult } from "../evals/job/results/job-result.ts";
import { benchSources } from "../harness/config/config-source.ts";
import { loadConfig } from "../harness/config/load-config.ts";
import type { ConfigFile } from "../harness/config/schema.ts";
import type { Model } from "../harness/contract/ports.ts";
import type { ResolvedConfig } from "../harness/contract/resolved-config.ts";
import type { RunResult } from "../harness/contract/run-result.ts";
import type { RunEvent } from "../harness/events/schema.ts";
import { CannotError } from "../harness/errors.ts";
import { knownOptions } from "../harness/known-options.ts";
import { refusalOf } from "../harness/refusal.ts";
import { nobody, systemClock } from "../harness/system-ports.ts";
import type { Sandbox, SandboxKind } from "../harness/sandbox/sandbox.ts";
import type { Suite, Task } from "../tasks/task.ts";
import type { RunAnswer } from "../traces/replay/corpus/judge-run.ts";
import { registryFor, replayParts } from "./registry.ts";

/**
 * What a program does with Forge: the command's verbs as functions. Nothing here prints, asks or ends the process. What cannot be done is thrown as a
 * `ForgeError` with a finished sentence and the command's `exitCode`; an abort is thrown as the signal's reason.
 */

const silent = (): void => undefined;

/** What this machine refuses, such as a write on a full disk, in the words that the command has for it. */
const refuse = (error: unknown): never => {
  const refusal = refusalOf(error);
  throw refusal === undefined ? error : new CannotError(refusal, { cause: error });
};

export interface ConfigurationRequest {
  /** The folder that relative paths start from. Default: the current one. */
  readonly cwd?: string;
  /** Override what the file sets, in its shape: `{ model: "openai/qwen", limits: { turns: 20 } }`. */
  readonly values?: ConfigFile;
}

/**
 * Loads a configuration: a preset's name or the path of a file, whose code is run, as the program names it. Where nothing names a model it is
 * `sim/default`. The environment and the user's own folder set nothing.
 * @throws ConfigError with file, line, key and cure
 */
export async function loadConfiguration(value: string, o: ConfigurationRequest = {}): Promise<ResolvedConfig> {
  knownOptions("loadConfiguration", o, { cwd: true, values: true });
  const { cwd = process.cwd(), values } = o;
  const sources = benchSources({ config: value, cwd, defaultModel: "sim/default", ...(values ? { flags: values } : {}) });
  return loadConfig(sources, registryFor({ user: nobody, trust: false, say: silent }));
}

/**
 * Loads tasks: `builtin`, `demo`, or a folder (docs/tasks.md).
 * @param o.filter a glob over names, `*`, `?` and `{a,b}`
 * @throws ConfigError where there is no task
 */
export async function loadTasks(suite: string, o: { readonly filter?: string; readonly signal?: AbortSignal } = {}): Promise<Suite> {
  knownOptions("loadTasks", o, { filter: true, signal: true });
  const [{ loadSuite }, { nameFilter }] = await Promise.all([
    import("../tasks/formats/load-suite.ts"),
    import("../harness/text/name-filter.ts"),
  ]);
  const { filter, signal } = o;
  return loadSuite(suite, {
    variables: process.env,
    plan: true,
    ...(filter === undefined ? {} : { wants: nameFilter(filter) }),
    ...(signal ? { signal } : {}),
  });
}

export interface ModelRequest {
  /** Keys and addresses, as `ANTHROPIC_API_KEY`. Default: the process's. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whose plan a simulated model plays. */
  readonly task?: Task;
  readonly seed?: number;
}

/**
 * The model that a configuration names, with the protocol that it names.
 * @throws ConfigError for an unknown provider, a missing key, or a simulated model without a task
 */
export async function makeModel(config: ResolvedConfig, o: ModelRequest = {}): Promise<Model> {
  knownOptions("makeModel", o, { env: true, task: true, seed: true });
  const { env = process.env, task, seed = 1 } = o;
  const { createModel } = await import("../harness/models/create-model.ts");
  const { simulatedFor } = await import("./trial-agent.ts");
  return createModel({ ...config.model, places: config.places }, env, {
    clock: systemClock,
    ...(task ? { simulated: (profile) => simulatedFor(profile, config, { task, seed }) } : {}),
  });
}

/**
 * A sandbox for one run: a task's environment, made fresh, or a folder of this machine, worked on in place (`bubblewrap` where it works, else `local`,
 * unconfined). The caller closes it.
 * @param o.kind default for a task: `docker`
 * @throws CannotError where this kind does not work here, InfraError where the sandbox cannot be made
 */
export async function makeSandbox(
  of: Task | string,
  o: { readonly kind?: SandboxKind; readonly signal?: AbortSignal } = {},
): Promise<Sandbox> {
  knownOptions("makeSandbox", o, { kind: true, signal: true });
  const { openWorkspace, sandboxProviders } = await import("./sandbox-providers.ts");
  const { CannotError, ConfigError } = await import("../harness/errors.ts");
  if (typeof of === "string") {
    if (o.kind === "docker") throw new ConfigError(`A folder is worked on in place, by bubblewrap or local; docker is for a task.`);
    return openWorkspace(of, o.kind);
  }
  const kind = o.kind ?? "docker";
  const provider = await sandboxProviders()(kind);
  const works = await provider.available();
  if (works !== true) throw new CannotError(works);
  const { makeSandbox: make } = await import("../evals/trial/sandbox/make-sandbox.ts");
  const prepared = await provider.prepare(of.environment, o.signal ? { signal: o.signal } : {});
  const labels = { job: `program-${process.pid}`, trial: of.name };
  return make(prepared, of.environment, { labels, ...(o.signal ? { signal: o.signal } : {}) });
}

export interface AgentRequest {
  readonly config: ResolvedConfig;
  readonly model: Model;
  /** Stays the caller's. */
  readonly sandbox: Sandbox;
  /** What is to be done, in words. */
  readonly task: string;
  /** New, or existing and empty; becomes the run's, sealed: `trace.jsonl`, `blobs/`, `seal.json`. */
  readonly folder: string;
  readonly seed?: number;
  /** Of servers of the configuration, and whose secrets are masked. Default: the process's. */
  readonly env?: NodeJS.ProcessEnv;
  /** Ends the run as cancelled: it is recorded and sealed all the same. */
  readonly signal?: AbortSignal;
  /** Every event as it happens (docs/trace-format.md). */
  readonly onEvent?: (event: RunEvent) => void;
  /** The model's text as it arrives. */
  readonly onText?: (lane: string, delta: string) => void;
}

/**
 * Runs the agent once, with every tool call allowed, and records it. How it ended is in `outcome`.
 * @throws ConfigError, InfraError for what is outside of the loop: a folder that cannot be written, a server that does not start
 */
export async function runOnce(o: AgentRequest): Promise<RunResult> {
  knownOptions("runOnce", o, {
    config: true,
    model: true,
    sandbox: true,
    task: true,
    folder: true,
    seed: true,
    env: true,
    signal: true,
    onEvent: true,
    onText: true,
  });
  const { config, model, sandbox, task, folder, seed, env = process.env, signal = new AbortController().signal, onEvent, onText } = o;
  const [{ assembleRun }, { redactorFor }, { forgeVersion }] = await Promise.all([
    import("./assemble-run.ts"),
    import("../harness/secrets/redactor-for-environment.ts"),
    import("../harness/package/package-root.ts"),
  ]);
  const { trace, run, close } = await assembleRun({
    config,
    model,
    sandbox,
    user: nobody,
    policy: { mode: "bypass" },
    folder,
    signal,
    env,
    redact: redactorFor(env),
    onEvent,
    ...(seed === undefined ? {} : { seed }),
    ...(onText ? { onText } : {}),
  });
  try {
    const meta = { forgeVersion: forgeVersion(), node: process.version, sandbox: sandbox.kind, workdir: sandbox.workdir };
    const result = await run({ task }, { signal, meta });
    trace.seal(null);
    return result;
  } finally {
    trace.close();
    await close();
  }
}

export interface JobRequest {
  /** `builtin`, `demo`, a folder of tasks, or what `loadTasks` returned. */
  readonly suite: string | Suite;
  /** With names that differ. */
  readonly configurations: readonly ResolvedConfig[];
  /** Trials of each task with each configuration. Default 1. */
  readonly repeats?: number;
  /** Left out: docker, else bubblewrap, else local, where tasks and models allow it. */
  readonly sandbox?: SandboxKind;
  /** Trials at a time; left out: cores, at most 4. */
  readonly jobs?: number;
  /** No trial starts beyond this cost in USD. A program is not asked before paid work: set it. */
  readonly maxCostUsd?: number;
  /** The job's folder; left out: one in `./jobs` by what is measured, so that the same request resumes it. */
  readonly out?: string;
  /** No further trial starts; running ones have 30 s to finish. The same request resumes the job. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: BenchEvent) => void;
}

/**
 * Runs configurations over tasks, as `forge bench` does.
 * @throws ConfigError for what cannot be measured, CannotError where no sandbox or model is to be had, or the folder holds another job
 */
export async function runBench(o: JobRequest): Promise<JobResult> {
  knownOptions("runBench", o, {
    suite: true,
    configurations: true,
    repeats: true,
    sandbox: true,
    jobs: true,
    maxCostUsd: true,
    out: true,
    signal: true,
    onEvent: true,
  });
  const [{ bench }, { createBenchPorts }] = await Promise.all([import("../evals/bench/bench.ts"), import("./create-bench-ports.ts")]);
  const suite = typeof o.suite === "string" ? await loadTasks(o.suite, o.signal ? { signal: o.signal } : {}) : o.suite;
  const ports = await createBenchPorts(process.env, o.sandbox ? { sandbox: o.sandbox } : {});
  const { configurations, repeats = 1, sandbox, jobs, maxCostUsd, out, signal, onEvent } = o;
  return bench(
    {
      suite,
      configurations,
      agent: "configured",
      repeats,
      cwd: process.cwd(),
      asked: {
        suite: suite.name,
        config: configurations.map(({ name }) => name),
        harness: configurations.map(({ hash }) => hash),
        model: configurations.map(({ model }) => model.name).join(", "),
        baseUrl: null,
      },
      ...(sandbox === undefined ? {} : { sandbox }),
      ...(jobs === undefined ? {} : { jobs }),
      ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
      ...(out === undefined ? {} : { out }),
    },
    ports,
    { ...(onEvent ? { onEvent } : {}), ...(signal ? { stop: signal } : {}) },
  ).catch(refuse);
}

/**
 * The verdict on what jobs measured, as `forge compare` has it; no ledger is written.
 * @param places folders of jobs, or what other runners left (docs/compare.md)
 * @throws CannotError, DamagedError for a job that cannot be read
 */
export async function compareJobs(
  places: readonly string[],
  o: { readonly baseline?: string; readonly margin?: number } = {},
): Promise<ComparisonReport> {
  knownOptions("compareJobs", o, { baseline: true, margin: true });
  const [{ comparisonSources }, { compare }, { withPartings }] = await Promise.all([
    import("../evals/compare/comparison-sources.ts"),
    import("../evals/compare/compare.ts"),
    import("../evals/compare/with-partings.ts"),
  ]);
  const { sources, baseline, baselineJob } = await comparisonSources(places, { baseline: o.baseline, format: undefined }).catch(refuse);
  return withPartings(compare(sources.jobs, { baseline, baselineJob, margin: o.margin }, sources.imported));
}

/**
 * The runs in folders and bundles, in order.
 * @throws CannotError where there is none
 */
export async function findRuns(places: readonly string[]): Promise<string[]> {
  return (await import("../traces/store/find-runs.ts")).findAllRuns(places).catch(refuse);
}

/**
 * Replays a recorded run without its model: `exact`, or `diverged` with the first difference in `detail`. A run that cannot be replayed or is damaged is a
 * verdict too, with the sentence in `text`.
 * @param o.verify only checks hashes and requests · `current`: with the installed prompts and middleware · `trust`: runs a user's middleware from the trace
 */
export async function replayRun(
  folder: string,
  o: { readonly verify?: boolean; readonly current?: boolean; readonly trust?: boolean } = {},
): Promise<RunAnswer> {
  knownOptions("replayRun", o, { verify: true, current: true, trust: true });
  const { judgeRun } = await import("../traces/replay/corpus/judge-run.ts");
  return judgeRun(folder, o, replayParts({ trust: o.trust === true })).catch(refuse);
}

/** Findings of one mechanism, and what could be changed. */
export interface FoundIssue {
  readonly id: string;
  readonly title: string;
  readonly mechanism: string;
  /** Runs that show it, the failed ones first; how many of them failed, and passed. */
  readonly runs: readonly string[];
  readonly failed: number;
  readonly passed: number;
  readonly configurations: readonly string[];
  /** The text of a configuration that would change it; null where only a recommendation can be given. */
  readonly patch: string | null;
  readonly priority: "fix" | "fix if easy" | "drop";
  readonly status: "open" | "accepted" | "completed" | "rejected" | "gone";
}

export interface AnalyzedRuns {
  /** Of the analysis. */
  readonly folder: string;
  /** Runs that were looked at, and of these the failed ones. */
  readonly runs: number;
  readonly failed: number;
  /** The most worthwhile first. */
  readonly issues: readonly FoundIssue[];
  /** Failed runs that no rule explains. */
  readonly unclassified: readonly string[];
  /** Sentences about what limits the result, with what to do. */
  readonly notes: readonly string[];
}

export interface AnalysisRequest {
  /** Folders of jobs and runs, archives, bundles. */
  readonly sources: readonly string[];
  /** Where issues are kept, with analyses beside it; the next call continues them. */
  readonly store: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, of: number) => void;
}

/**
 * Why runs failed, by rules and by contrast with those that passed, as `forge analyze` without a model.
 * @throws CannotError where there is no run
 */
export async function analyzeRuns(o: AnalysisRequest): Promise<AnalyzedRuns> {
  knownOptions("analyzeRuns", o, { sources: true, store: true, signal: true, onProgress: true });
  const { sources, store, signal, onProgress } = o;
  const [{ analyze }, { analysesFor }, { configRegistry }] = await Promise.all([
    import("../analyzer/analysis/analyze.ts"),
    import("../analyzer/issues/issue-store.ts"),
    import("./registry.ts"),
  ]);
  const { analysis, folder, issues, notes } = await analyze(
    { sources, store, analyses: analysesFor(store) },
    {
      clock: systemClock,
      signal: signal ?? new AbortController().signal,
      presets: configRegistry.presets,
      replay: replayParts({ trust: false }),
      ...(onProgress ? { onProgress } : {}),
    },
  ).catch(refuse);
  const found = issues.map(({ id, title, mechanism, runs, failed, passed, configurations, patch, priority, status }): FoundIssue => {
    return { id, title, mechanism, runs, failed, passed, configurations, patch, priority, status };
  });
  const { runs, failed, unclassified } = analysis;
  return { folder, runs, failed, issues: found, unclassified, notes };
}
