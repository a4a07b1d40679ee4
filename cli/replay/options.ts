import { configuration, objectPerRun, taskEnv } from "../shared/common-options.ts";
import { wholeNumber } from "../shared/option-values.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

const trust = {
  about: "run a user's middleware that you have not run here before; from the trace where its file has changed or is gone",
} as const;

/** Of `forge replay` and `forge replay current`. */
export const replayOptions = {
  all: { about: "each run, and each difference whole" },
  trust,
  json: objectPerRun,
} as const satisfies OptionTable;

export type ReplayFlags = Flags<typeof replayOptions>;

const config = { ...configuration, required: true, about: "the other configuration: a file, or a preset's name" } as const;

export const dryOptions = {
  config,
  watch: { about: "replay again whenever the configuration, one that it extends, or a file of its middleware is saved" },
  trust,
  markdown: { about: "a page" },
  json: objectPerRun,
} as const satisfies OptionTable;

export type DryFlags = Flags<typeof dryOptions>;

const sandbox = {
  value: "kind",
  choices: ["docker", "bubblewrap", "local", "local-unsafe"],
  about: "what the task runs in",
  unset: "the trial's",
} as const;
const task = { value: "folder", about: "the task, or a folder of tasks", unset: "from where the job found it" } as const;

export const liveOptions = {
  config,
  from: { value: "turn", parse: wholeNumber, about: "continue live from this turn", unset: "the first that differs" },
  sandbox,
  task,
  taskEnv,
  trust,
  yes: { about: "also where the model costs money" },
  json: { about: "one JSON object" },
} as const satisfies OptionTable;

export type LiveFlags = Flags<typeof liveOptions>;

export const toolsOptions = {
  config: { value: "file", about: "of another agent's run: start the agent of this configuration instead", unset: "the recorded one" },
  agent: {
    value: "name[@version]",
    about: "of another agent's run: start this agent, or another version of it",
    unset: "the recorded one",
  },
  times: { value: "n", parse: wholeNumber, about: "carry them out so often, to recognise nondeterministic steps", unset: "1" },
  sandbox,
  task,
  taskEnv,
  trust: { about: "run a tool of the user's that you have not run here before; from the trace where its file has changed or is gone" },
  json: { about: "one JSON object a run" },
} as const satisfies OptionTable;

export type ToolsFlags = Flags<typeof toolsOptions>;
