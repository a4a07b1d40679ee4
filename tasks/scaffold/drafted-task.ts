/** What a user decides about a task that is made of something else, a commit or a run. */
export interface DraftedTask {
  /** Replaces the base image; the task then needs Docker. */
  readonly image?: string;
  /** Shell lines run when the image is made, in the working directory. */
  readonly setup: readonly string[];
  readonly difficulty: "easy" | "medium" | "hard";
  readonly family: string;
  readonly split: "train" | "validation" | "test";
  /** Seconds. */
  readonly timeoutSec: number;
}
