import type { DraftedTask } from "../../tasks/scaffold/drafted-task.ts";
import { oneOf } from "../shared/one-of.ts";

/** What `forge task from-git` and `from-run` have in common. */
export interface DraftFlags {
  readonly out?: string;
  readonly family?: string;
  readonly split?: string;
  readonly level?: string;
  readonly image?: string;
  readonly setup?: readonly string[];
  readonly timeout?: number;
  readonly sandbox?: string;
  readonly untried?: boolean;
  readonly json?: boolean;
}

/** The same, checked, as the task's writer takes it. */
export function draftOptions(o: DraftFlags, family: string): DraftedTask {
  return {
    family: o.family ?? family,
    split: oneOf("--split", o.split ?? "train", ["train", "validation", "test"] as const),
    difficulty: oneOf("--level", o.level ?? "medium", ["easy", "medium", "hard"] as const),
    setup: o.setup ?? [],
    timeoutSec: o.timeout ?? 300,
    ...(o.image !== undefined && { image: o.image }),
  };
}
