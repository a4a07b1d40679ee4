import { CannotError } from "../../harness/errors.ts";
import type { Task } from "../../tasks/task.ts";
import type { TrialRecord } from "../trial-record.ts";
import { keptFor, whyNotKept } from "./kept-for.ts";

/** A trial that cannot be verified again, and why, as a sentence. */
export interface LeftOutTrial {
  readonly record: TrialRecord;
  readonly why: string;
}

/** Nothing was verified, and no test can change that: the agent broke its sandbox (scored 0), or the trial has no score by the machinery's fault. */
export function isSettled({ class: kind, rewards }: TrialRecord): boolean {
  return kind === "infra" || kind === "cancelled" || (kind === "agent" && rewards === null);
}

/** Why a trial of this task cannot be verified again; undefined for one that can, and for one of which nothing was to be verified. */
export function whyLeftOut(record: TrialRecord, task: Task): string | undefined {
  if (isSettled(record)) return undefined;
  if (task.steps) return `Task "${task.name}" is verified step by step, and of a trial only the last state was kept.`;
  return keptFor(record, task) ? undefined : whyNotKept(record, task);
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
