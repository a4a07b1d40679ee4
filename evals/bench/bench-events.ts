import type { ConfigurationSummary, JobResult } from "../job/results/job-result.ts";
import type { Mode, TrialRecord } from "../trial/trial-record.ts";
import type { Decision } from "../compare/sequential/follow-trials.ts";
import type { TrialStep } from "../trial/attempt/trial-progress.ts";
import type { SandboxKind } from "../../harness/sandbox/sandbox.ts";
import type { TrialPlace } from "../trial/trial-place.ts";

/** What a bench reports while it works: each is one line of `--json`, and `job.end` is the last. Times are Unix milliseconds. */
export type BenchEvent =
  /** Another runner works on this job; waiting for it. */
  | { readonly type: "job.wait"; readonly ts: number; readonly job: string; readonly pid: number }
  | {
      readonly type: "job.start";
      readonly ts: number;
      readonly job: string;
      readonly folder: string;
      readonly suite: string;
      readonly agent: string;
      readonly sandbox: SandboxKind;
      readonly modes: readonly Mode[];
      readonly simulated: boolean;
      readonly tasks: number;
      readonly repeats: number;
      /** All trials of the job, and those that were finished before. */
      readonly trials: number;
      readonly finished: number;
      readonly jobs: number;
      /** Counts of what was finished before. */
      readonly configurations: readonly ConfigurationSummary[];
      readonly taskNames?: readonly string[];
      /** Of the trials that were finished before. */
      readonly outcomes?: readonly (TrialPlace & { readonly passed: boolean | null })[];
    }
  /** The job runs without this task; `reason`: a finished sentence. */
  | { readonly type: "task.left-out"; readonly ts: number; readonly task: string; readonly reason: string }
  /** `verifier`: the image of a verifier that has an environment of its own; here and in the next two. */
  | { readonly type: "image.start"; readonly ts: number; readonly task: string; readonly verifier?: true }
  | { readonly type: "image.line"; readonly ts: number; readonly task: string; readonly verifier?: true; readonly line: string }
  /** `deviations`: departures of the image from its Dockerfile, each a sentence. */
  | {
      readonly type: "image.end";
      readonly ts: number;
      readonly task: string;
      readonly verifier?: true;
      readonly digest: string | null;
      readonly deviations: readonly string[];
      readonly error?: string;
    }
  | { readonly type: "trial.start"; readonly ts: number; readonly trial: TrialPlace; readonly attempt: number }
  /** A running attempt has made a step: a model's reply, a tool call, or its end. */
  | { readonly type: "trial.step"; readonly ts: number; readonly trial: TrialPlace; readonly attempt: number; readonly step: TrialStep }
  /** An attempt without a score; `again`: the trial gets another attempt. */
  | {
      readonly type: "trial.retry";
      readonly ts: number;
      readonly trial: TrialPlace;
      readonly attempt: number;
      readonly class: "infra" | "cancelled";
      readonly error?: string;
      readonly again: boolean;
    }
  | { readonly type: "trial.end"; readonly ts: number; readonly trial: TrialPlace; readonly record: TrialRecord }
  /** No trial is started for now; `reason`: a finished sentence. Running ones continue. */
  | { readonly type: "job.pause"; readonly ts: number; readonly reason: string }
  | { readonly type: "job.resume"; readonly ts: number }
  /** A provider limited the rate: until then nothing is sent to it from this process. `provider`: its name, and its address where that is not the provider's own. */
  | { readonly type: "provider.pause"; readonly ts: number; readonly provider: string; readonly until: number }
  /** No further trial is started. */
  | { readonly type: "job.stop"; readonly ts: number; readonly reason: "asked" | "cancelled" | "max-cost" | "decided" }
  /** A comparison is decided: arms that no open one needs get no further trial. */
  | { readonly type: "job.decision"; readonly ts: number; readonly decision: Decision }
  | { readonly type: "job.end"; readonly ts: number; readonly result: JobResult };
