import type { Clock, ModelIdentity, Ports, Tools } from "../harness/contract/ports.ts";
import type { RunResult } from "../harness/contract/run-result.ts";
import type { ResolvedConfig, ToolFile } from "../harness/contract/resolved-config.ts";
import type { EventType, RunEvent, evidenceSchemas } from "../harness/events/schema.ts";
import type { JsonObject } from "../harness/json.ts";
import type { AccountPause } from "../harness/models/rate-limits/account-gates.ts";
import type { ImageSecrets } from "../harness/sandbox/docker/image/image-secrets.ts";
import type { SandboxProvider } from "../harness/sandbox/provider.ts";
import type { Sandbox, SandboxKind } from "../harness/sandbox/sandbox.ts";
import type { Task } from "../tasks/task.ts";
import type { Recorded } from "./gateway/upstream.ts";

/**
 * Who works on the task. `configured`: the configuration's model. `oracle` and `nop`: the scripted models of those names.
 * `command`: a scripted model that makes one bash call with this command, such as a wrong solution under `$FORGE_SOLUTION`.
 */
export type Agent = "configured" | "oracle" | "nop" | { readonly name: string; readonly command: string };

/** The concrete parts that a bench needs and does not choose: made once by the command line, or by a test. */
export interface BenchPorts {
  /** Forge's own version: part of every trial's key. */
  readonly forgeVersion: string;
  readonly clock: Clock;
  provider(kind: SandboxKind): SandboxProvider;
  /** A Docker daemon was named: where it does not answer, no other sandbox takes its place. */
  readonly dockerNamed?: boolean;
  /** Hears one sentence where Docker was not named, does not answer, and another sandbox takes its place. */
  readonly onFallback?: (sentence: string) => void;
  /** The identity of the model that `run` would use. Throws `ConfigError` for an unknown model, `CannotError` for one that is not reachable. */
  identify(config: ResolvedConfig, agent: Agent): Promise<ModelIdentity>;
  /**
   * One run of the agent in `sandbox`, recorded in `folder`. Answers when `run.end` is recorded, with the trace still open for evidence.
   * How the agent ended is in `result.outcome`. Throws `InfraError` or `ConfigError` only for what happened outside the loop (the recorder, the
   * model's construction); the trace is closed without a seal then. The sandbox stays the caller's.
   */
  run(o: TrialRunRequest): Promise<TrialRun>;
  /**
   * What a configuration's agent needs installed, made once: folders of this machine by their path in the agent's sandbox. Left out where there is none.
   * @throws CannotError where it cannot be had here, in one sentence
   */
  layers?(config: ResolvedConfig, sandbox: SandboxKind): Promise<Readonly<Record<string, string>>>;
  /** The tools of a recorded trial in a sandbox of now; texts are redacted as they were when it was recorded, or every key would look like a difference. */
  tools(o: TrialToolsRequest): Promise<Tools>;
  /** What lies in an image of the Docker daemon beside the files that a container of it shows. */
  imageSecrets(image: string, stop: AbortSignal): Promise<ImageSecrets>;
  /** Tells when a provider holds an account back, until the answer is called. */
  onProviderPause?(hear: (pause: AccountPause) => void): () => void;
}

export interface TrialRunRequest {
  readonly config: ResolvedConfig;
  readonly task: Task;
  readonly sandbox: Sandbox;
  readonly agent: Agent;
  /** Given to the provider as sampling seed and to the run's random port. */
  readonly seed: number;
  /** An existing, empty folder that becomes the run's: `trace.jsonl`, `blobs/`, `seal.json`. */
  readonly folder: string;
  /** Aborted with a `DeadlineError` when `deadlineMs` are over (the trial counts them), with anything else when the bench is cancelled. */
  readonly signal: AbortSignal;
  /** The agent's whole time limit, milliseconds: what the oracle's one call gets. */
  readonly deadlineMs: number;
  /** For `run.start.meta`: Forge's version, task and image digest, sandbox, mode, job, trial. */
  readonly meta: JsonObject;
  /** Ports to use in place of the real ones, which it may ask: such that answer from a recording first. */
  readonly ports?: (real: Ports) => Ports;
  /** Of another agent: what answers its requests in place of any model. */
  readonly answers?: AnswersToAgent;
  /** Every event as the loop emits it, after it went to the recorder. */
  readonly onEvent?: (event: RunEvent) => void;
}

/** A recorded run of the agent that runs. */
export interface AnswersToAgent extends Pick<Recorded, "identity" | "answer"> {
  /** What the agent calls its model. */
  readonly model: string;
}

export interface TrialToolsRequest {
  readonly names: readonly string[];
  /** Of these, the user's own. Throws `CannotError` for one that is not trusted here. */
  readonly toolFiles: readonly ToolFile[];
  readonly sandbox: Sandbox;
  /** The kind of sandbox that the trial had. */
  readonly recordedIn: SandboxKind;
  /** Version of the loop that it had. */
  readonly loop: 1 | 2;
  /** What one call may take at most, milliseconds. */
  readonly maxTimeoutMs: number | undefined;
  /** Whether the trial recorded what its workdir was after each call. */
  readonly snapshots: boolean;
}

/** Another agent's process failed before any tool call: what it was asked to do had no part in that. */
export interface Crash {
  /** 0 where its output shows an error all the same. */
  readonly exitCode: number | null;
  /** That reached its model. */
  readonly requests: number;
}

export interface TrialRun {
  readonly result: RunResult;
  readonly crash?: Crash;
  readonly model: ModelIdentity;
  /** What actually answered, from the last reply. */
  readonly served?: { readonly model?: string; readonly fingerprint?: string };
  readonly trace: OpenTrace;
}

export type EvidenceType = Extract<EventType, keyof typeof evidenceSchemas>;

/** A trace after `run.end`: takes evidence, then its seal. */
export interface OpenTrace {
  evidence(t: EvidenceType, d: JsonObject): void;
  /** Makes the trace final. `workspaceHash`: of the workdir as the agent left it. */
  seal(o: { readonly workspaceHash?: string }): Promise<void>;
  /** Closes the files without a seal. Safe after `seal`. */
  close(): Promise<void>;
}
