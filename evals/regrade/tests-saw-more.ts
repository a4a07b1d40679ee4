import type { Task } from "../../tasks/task.ts";
import type { TrialRecord } from "../trial/trial-record.ts";
import { verifiedApart } from "./what-was-kept.ts";

/**
 * Whether a trial's tests could see more of what its agent did than its kept delta has: those that run in the agent's own sandbox, or in a copy of the
 * whole of it. Undefined where the delta is all they get; else how they ran, as a clause.
 */
export function keptInPart(
  { mode, sandbox }: Pick<TrialRecord, "mode" | "sandbox">,
  task: Pick<Task, "forge" | "verifier" | "steps">,
): string | undefined {
  const { forge } = task;
  if (verifiedApart(task)) return undefined;
  if (mode === "official") return "in official mode tests run in the agent's own sandbox";
  if (forge?.verify === "live") return 'with verify = "live" tests run in the agent\'s own sandbox';
  // Elsewhere than in a container a snapshot is the declared paths alone.
  if (forge?.verify === "snapshot" && sandbox === "docker")
    return 'with verify = "snapshot" tests run in a copy of the agent\'s whole container';
  return undefined;
}
