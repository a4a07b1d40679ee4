import { taskEnv } from "../shared/common-options.ts";
import { countNumber } from "../shared/option-values.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

export const shellOptions = {
  step: { value: "k", parse: countNumber, about: "carry out the first k recorded calls", unset: "all" },
  task: { value: "dir", about: "the task's folder, or one of several tasks", unset: "from where the job found it" },
  sandbox: {
    value: "kind",
    choices: ["docker", "bubblewrap", "local", "local-unsafe"],
    about: "what the task runs in",
    unset: "the trial's",
  },
  taskEnv,
} as const satisfies OptionTable;

export type ShellFlags = Flags<typeof shellOptions>;
