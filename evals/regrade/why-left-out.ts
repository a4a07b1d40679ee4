import { CannotError } from "../../harness/errors.ts";
import type { Task } from "../../tasks/task.ts";
import type { TrialRecord } from "../trial/trial-record.ts";
import { hadOwn, keptFor, whyNotKept } from "./what-was-kept.ts";
import type { RegradedTrial } from "../job/results/regrade-result.ts";
import { toldSteps } from "./recorded-steps.ts";

/** Why a trial cannot be verified again, as a sentence. `ofTask`: what its agent did had no part in it. */
export interface WhyLeftOut {
  readonly why: string;
  readonly ofTask: boolean;
}
export interface LeftOutTrial extends WhyLeftOut {
  readonly record: TrialRecord;
}

/** Nothing was verified, and no test can change that: the agent broke its sandbox (scored 0), or the trial has no score by the machinery's fault. */
export function isSettled({ class: kind, rewards }: TrialRecord): boolean {
  return kind === "infra" || kind === "cancelled" || (kind === "agent" && rewards === null);
}

/** Why a trial of this task, of the job in this folder, cannot be verified again; undefined for one that can, and for one of which nothing was to be verified. */
export async function whyLeftOut(job: string, record: TrialRecord, task: Task): Promise<WhyLeftOut | undefined> {
  if (isSettled(record)) return undefined;
  const told = await toldSteps(job, record);
  if (!task.steps && !told) return whyNotAgain(record, task);
  if (!task.steps) return { why: `Task "${task.name}" is one step now, and in the trial it had several.`, ofTask: true };
  if (!told) return { why: `Task "${task.name}" is in steps now, and in the trial it was not.`, ofTask: true };
  for (const [i, { name, rewards, delta }] of told.steps.entries()) {
    const step = task.steps[i];
    if (step?.name !== name) return { why: `Task "${task.name}" has other steps now: its step ${i + 1} was "${name}".`, ofTask: true };
    if (!delta && rewards)
      return { why: "Its steps.json is from a version of Forge that did not record what was kept of each step.", ofTask: false };
    const left = delta && whyNotAgain({ delta }, step);
    if (left) return { why: `Step "${name}": ${left.why}`, ofTask: left.ofTask };
  }
  return undefined;
}

function whyNotAgain(record: Pick<TrialRecord, "delta">, task: Pick<Task, "verifier">): WhyLeftOut | undefined {
  if (keptFor(record, task)) return undefined;
  const { delta } = record;
  // The task's verifier has an environment of its own now and had none, or the other way round: what the agents left is kept as the other kind.
  const ofTask = delta !== undefined && hadOwn(delta) !== (task.verifier.environment !== undefined);
  return { why: whyNotKept(record, task), ofTask };
}

/**
 * The tasks of which no trial can be verified again, for what the task is or has become. They are in no result, as tasks that cannot be run are in no job:
 * trials without a score that no agent had a hand in would count against every claim.
 */
export function leftOutTasks(
  trials: readonly Pick<RegradedTrial, "task" | "how">[],
  leftOut: readonly LeftOutTrial[],
): { readonly task: string; readonly reason: string }[] {
  const stay = new Set([
    ...trials.flatMap(({ task, how }) => (how === "graded" || how === "failed" ? [task] : [])),
    ...leftOut.flatMap(({ record, ofTask }) => (ofTask ? [] : [record.task])),
  ]);
  const reasons = new Map(leftOut.toReversed().map(({ record, why }) => [record.task, why]));
  return [...reasons]
    .flatMap(([task, reason]) => (stay.has(task) ? [] : [{ task, reason }]))
    .toSorted((a, b) => (a.task < b.task ? -1 : 1));
}

/** @throws CannotError where no trial is left that can be verified again */
export function refuseAll(path: string, leftOut: readonly LeftOutTrial[]): never {
  const [first] = leftOut;
  if (!first) throw new Error("no trial was left out");
  const { task, configuration, repeat } = first.record;
  const others = leftOut.length === 1 ? "" : ` None of the ${leftOut.length - 1} others can be either.`;
  throw new CannotError(
    `No trial in ${path} can be verified again, the first is ${task}, ${configuration}, repeat ${repeat}. ${first.why}${others} Run their tasks again in a new job, or name others with --task.`,
  );
}
