import { benchOptions } from "../bench/options.ts";
import { dockerHost, eventsAsLines, oneObject, taskEnv } from "../shared/common-options.ts";
import { span } from "../shared/option-values.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

const { repeats, jobs, maxCost, minPass, yes, filter, baseUrl, config } = benchOptions;
const { default: _, ...moreRepeats } = repeats;

export const listOptions = { json: { about: "one JSON object a line" } } as const satisfies OptionTable;

export const showOptions = { json: oneObject } as const satisfies OptionTable;

export const watchOptions = { json: eventsAsLines } as const satisfies OptionTable;

export const resumeOptions = {
  config: { ...config, group: "What is added", about: "one configuration more", unset: "none" },
  repeats: { ...moreRepeats, about: "trials of each task with each configuration, in all" },
  filter: { ...filter, about: "the tasks from now on; those of the job must still fit" },
  baseUrl: { ...baseUrl, about: "address of a compatible server, where it has moved" },
  dockerHost: { ...dockerHost, group: "How it continues" },
  jobs,
  maxCost: {
    ...maxCost,
    about: "start no trial beyond this cost, with what the job has cost so far",
    unset: "as last given for this job",
  },
  minPass,
  taskEnv,
  yes,
  trust: { about: "trust the files of middleware and tools that the job's configurations name, as they are now" },
  json: eventsAsLines,
} as const satisfies OptionTable;

export type ResumeFlags = Flags<typeof resumeOptions>;

export const cleanOptions = {
  olderThan: { value: "time", parse: span, about: "only jobs that no process touched for this long: 12h, 7d" },
  dryRun: { about: "list what would be removed, and remove nothing" },
  json: oneObject,
} as const satisfies OptionTable;

export type CleanFlags = Flags<typeof cleanOptions>;
