import type { NetworkPolicy } from "../harness/sandbox/sandbox.ts";
import type { TaskEnvironment } from "./task-environment.ts";

/** How a task, or a step of one, is verified. */
export interface Verification {
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string>>;
  /** The task's own `tests/`; of a step its `steps/<name>/tests`. May be absent where a task has no such folder: then `tests` says what there is. */
  readonly testsFolder: string;
  /** What is copied into `/tests`, in this order, later files replacing earlier ones: a folder's content, or one file. Absolute, and all there. */
  readonly tests: readonly string[];
  /** The script in `/tests` that is run: `test.sh` (executed itself), `run-tests.sh` (with bash, as root). */
  readonly script: "test.sh" | "run-tests.sh";
  readonly reads: RewardSource;
  /** User name or number that runs the script; absent: the image's. */
  readonly user?: string;
  /** A network other than the environment's, while the verifier runs. */
  readonly network?: NetworkPolicy;
  /** Set where the verifier has a container of its own, which receives the artifacts and nothing else of the agent. */
  readonly environment?: TaskEnvironment & {
    /** The image holds `/tests` already: nothing is copied there. */
    readonly bundledTests: boolean;
  };
  /** Commands run in services after the agent has ended, before artifacts are collected. */
  readonly collect: readonly CollectHook[];
}

/** `reward-files`: `/logs/verifier/reward.json`, else `reward.txt`. `output`: a parser reads what the script printed. */
export type RewardSource = { readonly type: "reward-files" } | { readonly type: "output"; readonly parser: ParserName };

/** Parsers of Terminal-Bench 1 by their names in task.yaml, and `exit-code`: passed when the script exits 0. */
export const parserNames = ["pytest", "swebench", "swelancer", "mlebench", "sweperf", "exit-code"] as const;
export type ParserName = (typeof parserNames)[number];

export interface CollectHook {
  readonly command: string;
  /** A service of the compose file; absent: the agent's container. */
  readonly service?: string;
  readonly timeoutMs: number;
  readonly user?: string;
}

/** A file or folder of a container that is kept with the trial, and given to a verifier of its own. */
export interface Artifact {
  /** Container path without `..`; relative ones are below the working directory. */
  readonly source: string;
  /** Where it is kept, relative to the trial's artifacts, without `..`; absent: the source's path without its root. */
  readonly destination?: string;
  /** Patterns of tar's `--exclude`. */
  readonly exclude: readonly string[];
  /** A service of the compose file; absent: the agent's container. */
  readonly service?: string;
}
