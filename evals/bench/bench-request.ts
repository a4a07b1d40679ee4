import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import type { JsonObject } from "../../harness/json.ts";
import type { Bounds } from "../../harness/sandbox/provider.ts";
import type { SandboxKind } from "../../harness/sandbox/sandbox.ts";
import type { Suite } from "../../tasks/task.ts";
import type { Agent } from "../bench-ports.ts";
import type { BenchEvent } from "./bench-events.ts";
import type { Study } from "../study/study.ts";
import type { Mode } from "../trial/trial-record.ts";

/** What is to be measured. */
export interface BenchRequest {
  readonly suite: Suite;
  /** The arms. Names are unique. */
  readonly configurations: readonly ResolvedConfig[];
  /** What the arms were made for: which of them a comparison of the job holds against which. Left out: all pairs. */
  readonly study?: Study;
  /** Runs the tasks in a drawn order and stops as soon as the study's comparisons are decided; every configuration with the first where there is none. */
  readonly untilDecided?: boolean;
  readonly agent: Agent;
  /** Trials of each task with each configuration. */
  readonly repeats: number;
  /** Which of them are wanted; left out: all. */
  readonly wants?: (trial: { readonly task: string; readonly repeat: number }) => boolean;
  /** A glob over task names (`*`, `?`, `{a,b}`); left out: all. */
  readonly filter?: string;
  /** Left out: hardened for tasks with `[metadata.forge]`, official for the others. */
  readonly mode?: Mode;
  /** Left out: docker, else bubblewrap, else local, where tasks and models allow it. `local-unsafe`: local, whatever the tasks. */
  readonly sandbox?: SandboxKind | "local-unsafe";
  /** Trials at a time; left out: cores, at most 4. */
  readonly jobs?: number;
  /** Of a container in hardened mode whose task states none; left out: a share of what the machine has. */
  readonly bounds?: Bounds;
  /** USD. Trials in flight count with what they may cost. */
  readonly maxCostUsd?: number;
  /** The job's folder; left out: `jobs/<id>`, of the hash of `config.json`, so the same request resumes. */
  readonly out?: string;
  /** Where jobs without `out` are; default `jobs`. */
  readonly jobsFolder?: string;
  /** What the job is called beside its id; left out: what it was called before, if anything. */
  readonly name?: string;
  /** The folder from which paths in `asked` are meant: kept in `lock.json`, so that `forge jobs resume` works from anywhere. */
  readonly cwd?: string;
  /** What the person asked for in their own words (suite, configurations, model): kept in `config.json`, part of the job's identity. */
  readonly asked: JsonObject;
}

export interface BenchOptions {
  readonly onEvent?: (event: BenchEvent) => void;
  /** Aborted: no further trial is started; those that run have `graceMs` to finish, then they are cancelled and queued again. */
  readonly stop?: AbortSignal;
  /** Aborted: running trials are cancelled at once and queued again. */
  readonly signal?: AbortSignal;
  /** Default 30,000. */
  readonly graceMs?: number;
  /** Before the second attempt of a trial that met an infrastructure error; doubled before the third. Default 1,000. */
  readonly retryMs?: number;
}
