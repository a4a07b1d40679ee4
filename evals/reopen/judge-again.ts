import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchPorts } from "../bench-ports.ts";
import { judgeOf } from "../trial/classify/classify-outcome.ts";
import { createSuiteMemory, type AttemptSetting, type TrialPlan } from "../trial/trial-plan.ts";
import type { ModelIdentity } from "../../harness/contract/ports.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { ForgeError, messageOf } from "../../harness/errors.ts";
import { SandboxPathError } from "../../harness/sandbox/sandbox.ts";
import { hashWorkdir } from "./hash-workdir.ts";
import type { OpenedTrial } from "./open-trial.ts";
import type { TrialPlace } from "./trial-sandbox.ts";
import { modeOf } from "./trial-tools.ts";

/** What the verifier says of the work as it was carried out again. */
interface JudgedAgain {
  /** Null where it left nothing that can be read, as in a trial. Undefined where it could not be asked: `why`. */
  readonly score: number | null | undefined;
  readonly why?: string;
  /** Of the workdir as it was judged, where it was taken. */
  readonly workspace?: string;
}

/** The score that was recorded; undefined where a trial has no verdict of its own, as one step of several. */
export function recordedScore({ events }: Pick<OpenedTrial, "events">): number | null | undefined {
  const verdict = events.findLast(({ t }) => t === "verifier.result")?.d;
  const score = verdict?.["score"];
  return typeof score === "number" || score === null ? score : undefined;
}

/** What became of the work when a trial was done again: verified, where it had a verdict of its own, and its workdir held against the recorded one. */
export interface WorkAgain {
  /** Undefined where there is none, or the verifier could not be asked: `why`. */
  readonly score: number | null | undefined;
  readonly why: string | undefined;
  /** Undefined where the recording has no hash of its workdir. */
  readonly sameWorkspace: boolean | undefined;
}

/** @param recorded hash of the recorded workdir, where there is one */
export async function workAgain(
  trial: OpenedTrial,
  place: TrialPlace,
  { recorded, ...o }: { readonly recorded: string | undefined; readonly ports: BenchPorts; readonly signal: AbortSignal },
): Promise<WorkAgain> {
  const judged = recordedScore(trial) === undefined ? undefined : await judgeAgain(trial, place, o);
  const hash = recorded === undefined ? undefined : (judged?.workspace ?? (await hashWorkdir(place.sandbox)));
  const why = judged && judged.score === undefined ? (judged.why ?? "it printed nothing") : undefined;
  return { score: judged?.score, why, sameWorkspace: recorded === undefined ? undefined : hash === recorded };
}

/** Verifies what is in a sandbox as the trial was verified: the same mode, the task's own verifier, in fresh sandboxes where the trial had some. */
async function judgeAgain(trial: OpenedTrial, place: TrialPlace, o: { ports: BenchPorts; signal: AbortSignal }): Promise<JudgedAgain> {
  const { task, agent, kind, prepared, provider, sandbox } = place;
  if (place.isStep) return { score: undefined, why: "the task has several steps, each verified before the next one begins" };
  const scratch = await mkdtemp(join(tmpdir(), "forge-judge-"));
  const start = trial.events[0]?.d ?? {};
  const plan: TrialPlan = {
    task,
    configuration: trial.configuration,
    config: start["config"] as unknown as ResolvedConfig, // what `run.start` records
    agent,
    model: start["model"] as unknown as ModelIdentity, // as above
    repeat: trial.repeat,
    key: "replay",
    seed: typeof start["seed"] === "number" ? start["seed"] : 0,
    mode: modeOf(trial, task),
    sandbox: kind,
  };
  try {
    const folder = join(scratch, "run");
    await mkdir(folder);
    const own = task.verifier.environment;
    const setting: AttemptSetting = {
      ports: o.ports,
      prepared,
      ...(own ? { verifier: await provider.prepare(own, { signal: o.signal, onProgress: () => undefined }) } : {}),
      attempt: trial.attempt,
      folder,
      trace: "run",
      job: "shell",
      jobs: 1,
      memory: createSuiteMemory(),
      signal: o.signal,
    };
    const { score, workspace } = await judgeOf(plan)(plan, setting, sandbox);
    const hash = workspace?.hash.hash;
    return { score, ...(hash === undefined || hash === null ? {} : { workspace: hash }) };
  } catch (error) {
    o.signal.throwIfAborted();
    if (error instanceof SandboxPathError) return { score: 0 }; // as in a trial: nothing that could be carried anywhere
    if (!(error instanceof ForgeError)) throw error;
    return { score: undefined, why: messageOf(error) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
