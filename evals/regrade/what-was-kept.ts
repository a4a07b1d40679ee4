import type { Task } from "../../tasks/task.ts";
import type { TrialRecord } from "../trial/trial-record.ts";

/** What a trial's verification can be repeated from: what its agent changed, or, for a verifier with an environment of its own, the artifacts that it got. */
export type Kept = { readonly from: "delta" } | { readonly from: "artifacts"; readonly digest: string; readonly inBlobs: boolean };

export function keptFor({ delta }: Pick<TrialRecord, "delta">, { verifier }: Pick<Task, "verifier">): Kept | undefined {
  if (!verifier.environment) return delta?.kept && delta.artifacts === undefined ? { from: "delta" } : undefined;
  return delta?.artifacts === undefined ? undefined : { from: "artifacts", digest: delta.artifacts, inBlobs: delta.kept };
}

/** Every verifier of the task has an environment of its own: its tests see nothing of the agent's. */
export function verifiedApart({ verifier, steps }: Pick<Task, "verifier" | "steps">): boolean {
  return (steps ?? [{ verifier }]).every((one) => one.verifier.environment !== undefined);
}

/** Whether the verifier had an environment of its own in the trial. */
export function hadOwn(delta: NonNullable<TrialRecord["delta"]>): boolean {
  return delta.artifacts !== undefined || (!delta.kept && delta.why.includes("environment of its own"));
}

/** Why there is nothing, as a sentence. */
export function whyNotKept({ delta }: Pick<TrialRecord, "delta">, { verifier }: Pick<Task, "verifier">): string {
  if (delta?.kept && delta.artifacts !== undefined)
    return "In the trial the task's verifier had an environment of its own, which got artifacts alone, and now it has none.";
  if (delta?.kept) return "The task's verifier has an environment of its own now, and in the trial it had none.";
  if (!delta || (verifier.environment && hadOwn(delta))) return "Its record is from a version of Forge that kept none.";
  return delta.why;
}
