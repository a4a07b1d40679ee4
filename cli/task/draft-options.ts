import type { DraftedTask } from "../../tasks/scaffold/drafted-task.ts";
import type { DraftFlags } from "./options.ts";

/** What `forge task from-git` and `from-run` have in common, as the task's writer takes it. */
export function draftOptions(o: DraftFlags, family: string): DraftedTask {
  return {
    family: o.family ?? family,
    split: o.split ?? "train",
    difficulty: o.level ?? "medium",
    setup: o.setup ?? [],
    timeoutSec: o.timeout ?? 300,
    ...(o.image !== undefined && { image: o.image }),
  };
}
