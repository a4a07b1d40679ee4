import { ConfigError, InfraError, messageOf } from "../../../harness/errors.ts";
import { SandboxPathError, type Sandbox, type SandboxEvidence, type SandboxUsage } from "../../../harness/sandbox/sandbox.ts";
import type { TrialRun } from "../../bench-ports.ts";
import { answers, freshAnswers } from "../sandbox/answers.ts";
import {
  containerStory,
  hostStory,
  machineryFault,
  neverStarted,
  OutsideError,
  runStory,
  takenFromOutside,
  thrownStory,
  type Evidence,
} from "../evidence/evidence.ts";
import { judgeHardened } from "../verify/judge-hardened.ts";
import { judgeOfficial } from "../verify/judge-official.ts";
import { judgeSeparate } from "../verify/judge-separate.ts";
import type { Judgement } from "../verify/judgement.ts";
import { maxAttempts, type AttemptSetting, type TrialPlan } from "../trial-plan.ts";
import type { RunTally } from "../evidence/run-tally.ts";

/** How an attempt ended, judged or without a judgement, and what was seen that decided it. */
export type Ending = Verdict & { readonly evidence: readonly Evidence[] };
type Verdict =
  | (Judgement & { readonly error?: string })
  | { readonly class: "cancelled" }
  /** `lasting`: another attempt would end the same. */
  | { readonly class: "infra"; readonly error: string; readonly lasting?: boolean }
  | { readonly class: "agent"; readonly rewards: null; readonly score: 0; readonly error: string };

/** An agent's run that ended, in the sandbox it worked in. */
export interface EndedRun {
  readonly sandbox: Sandbox;
  readonly run: TrialRun;
  readonly tally: RunTally;
  /** Of the sandbox, taken when the run had ended. */
  readonly seen: SandboxEvidence | undefined;
  readonly usage: SandboxUsage | undefined;
}

/**
 * A limit reached, time too, still gets its work verified; only a run that broke, was cancelled, or whose time the model's server used up does not: were it
 * counted where it passes and tried again where it fails, it would have more chances than others. Throws what `endingOf` reads.
 */
export async function classifyOutcome(plan: TrialPlan, setting: AttemptSetting, ended: EndedRun): Promise<Ending> {
  const { sandbox, run, tally, seen, usage } = ended;
  const { outcome } = run.result;
  const story = [...runStory(run, tally), ...containerStory(seen, usage)];
  if (outcome.type === "cancelled") return { class: "cancelled", evidence: [...story, stopped(setting)] };
  if (outcome.type === "error" && outcome.kind === "infra") return broken(plan, setting, ended, story, outcome.message);
  // Whatever the work is worth, it is not what the agent would have left.
  const taken = takenFromOutside(seen);
  if (taken) return outside(plan, setting, story, taken);
  const absent = outcome.type === "error" ? neverStarted(run.crash) : undefined;
  if (absent && outcome.type === "error") return { class: "infra", error: outcome.message, lasting: true, evidence: [...story, absent] };
  const lost = outcome.type === "limit" ? story.find(({ kind }) => kind === "provider") : undefined;
  if (lost) return { class: "infra", error: `The model's server used up the agent's time. ${lost.says}`, evidence: story };
  try {
    const judgement = await judgeOf(plan)(plan, setting, sandbox);
    const asked = plan.mode === "official" || plan.task.verifier.environment !== undefined;
    const fault = asked ? await faultInPlace(judgement, sandbox) : undefined;
    if (fault) return outside(plan, setting, story, fault);
    const error = outcome.type === "error" && judgement.class !== "passed" && judgement.why === undefined ? { error: outcome.message } : {};
    return { ...judgement, ...error, evidence: [...story, verdictOf(judgement)] };
  } catch (error) {
    if (error instanceof ConfigError || setting.signal.aborted) throw error;
    const fault = error instanceof OutsideError ? error.fault : takenFromOutside(await sandbox.evidence?.());
    if (fault) return outside(plan, setting, story, fault);
    // Left by the agent, and nothing that could be carried anywhere: an archive that breaks out, a tree beyond all limits.
    if (error instanceof SandboxPathError)
      return {
        class: "agent",
        rewards: null,
        score: 0,
        error: error.message,
        evidence: [...story, { kind: "verifier", says: error.message }],
      };
    // Not the sandbox's doing, and asking it says nothing.
    const host = hostStory(error);
    if (host) return { class: "infra", error: host.says, evidence: [...story, host] };
    return broken(plan, setting, ended, story, messageOf(error));
  }
}

/**
 * Verified in place: the tests may have run short of memory, and an unreadable reward may only mean that someone took the container away. Where the
 * verifier has an environment of its own, the artifacts it got were taken from this sandbox.
 */
async function faultInPlace({ class: kind }: Judgement, sandbox: Sandbox): Promise<Evidence | undefined> {
  const seen = await sandbox.evidence?.();
  return kind === "verifier" ? machineryFault(seen) : takenFromOutside(seen);
}

/**
 * What was taken away from outside is tried again. But an agent that may trace the container's first process can make it end as by SIGKILL: where that is
 * all that was seen, in hardened mode, in every attempt that a trial gets, it is the agent's doing.
 */
export function outside(plan: TrialPlan, { memory }: Pick<AttemptSetting, "memory">, story: readonly Evidence[], fault: Evidence): Ending {
  const evidence = [...story, fault];
  if (plan.mode !== "hardened" || fault["unseen"] !== true) return { class: "infra", error: fault.says, evidence };
  const times = (memory.killedUnseen.get(plan.key) ?? 0) + 1;
  memory.killedUnseen.set(plan.key, times);
  if (times < maxAttempts) return { class: "infra", error: fault.says, evidence };
  const error = `In each of ${times} attempts the container's first process was ended, and no process outside was seen to do it.`;
  return { class: "agent", rewards: null, score: 0, error, evidence: [...evidence, { kind: "daemon", says: error, event: "die", times }] };
}

/** How a trial of this plan is verified. */
export function judgeOf({ task, mode }: Pick<TrialPlan, "task" | "mode">): typeof judgeOfficial {
  if (task.verifier.environment) return judgeSeparate;
  return mode === "hardened" ? judgeHardened : judgeOfficial;
}

/**
 * For an error outside the agent's run. A ConfigError here is one of the task's own files, which had been read without complaint: its trials have no
 * score, and the others go on. `fault`: what the sandbox's keeper saw beside it.
 */
export function endingOf(error: unknown, setting: AttemptSetting, o: { readonly begun: boolean; readonly fault?: Evidence }): Ending {
  if (setting.signal.aborted) return { class: "cancelled", evidence: [stopped(setting)] };
  const says = messageOf(error);
  if (error instanceof ConfigError)
    return { class: "infra", error: says, lasting: true, evidence: [{ kind: "task", says, lasting: true }] };
  const lasting = error instanceof InfraError && error.lasting;
  const evidence = thrownStory(error, { begun: o.begun, built: setting.prepared.digest !== "" });
  return { class: "infra", error: says, ...(lasting ? { lasting } : {}), evidence: [evidence, ...(o.fault ? [o.fault] : [])] };
}

function verdictOf({ class: kind, score, why }: Judgement): Evidence {
  if (kind === "verifier") return { kind: "verifier", says: why ?? "The verifier left no reward that can be read." };
  return { kind: "reward", says: `The verifier's score is ${score}.`, score };
}

const stopped = ({ signal }: AttemptSetting): Evidence => ({ kind: "signal", says: messageOf(signal.reason ?? "cancelled") });

/**
 * Whose fault it is that the agent's sandbox or its model failed. The machinery's where its keeper saw someone outside end the sandbox, or where the
 * daemon was away. The agent's, scored 0, only where it made calls there, its sandbox answers no more, and a fresh one does.
 */
async function broken(
  plan: TrialPlan,
  setting: AttemptSetting,
  { sandbox, tally }: EndedRun,
  story: readonly Evidence[],
  error: string,
): Promise<Ending> {
  const infra = (...more: Evidence[]): Ending => ({ class: "infra", error, evidence: [...story, ...more] });
  if (!tally.called || (await answers(sandbox))) return infra({ kind: "probe", says: "The agent's sandbox did not break." });
  const seen = await sandbox.evidence?.();
  const fault = machineryFault(seen);
  if (fault) return outside(plan, setting, story, fault);
  const silent: Evidence = { kind: "probe", says: "The agent's sandbox no longer responds." };
  if (!(await freshAnswers(plan, setting))) return infra(silent, { kind: "probe", says: "Nor does a fresh sandbox." });
  // Asked again: a daemon that was just going away is known to be gone by now.
  const late = machineryFault(await sandbox.evidence?.());
  if (late) return outside(plan, setting, [...story, silent], late);
  return {
    class: "agent",
    rewards: null,
    score: 0,
    error: `The agent broke its own sandbox: ${error}`,
    evidence: [...story, ...containerStory(seen, undefined), silent, { kind: "probe", says: "A fresh sandbox responds." }],
  };
}
