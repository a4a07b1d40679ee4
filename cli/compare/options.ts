import { importFormats } from "../../evals/imported/imported-trial.ts";
import { oneObject } from "../shared/common-options.ts";
import { percentagePoints, wholeNumber } from "../shared/option-values.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

export const compareOptions = {
  baseline: { value: "configuration|job", about: "compare all others with this one", unset: "all pairs" },
  margin: {
    value: "points",
    parse: percentagePoints,
    about: "two configurations closer than this are equivalent; state it before you see the results",
  },
  format: { value: "format", choices: ["forge", ...importFormats], about: "what the places contain, where it cannot be recognised" },
  commonTasks: { about: "of other runners' results: ignore tasks that only one side has, in place of counting them as missing" },
  variants: { about: "take tasks whose names differ in an ending like .hard or -easy-0007 for one family, where none is named" },
  gate: { about: "exit codes for a pipeline: 0 passed, 1 worse, 3 not comparable, 5 cannot decide" },
  all: { about: "everything: each pair in full, its tasks and runs, the conditions, the ledger" },
  json: oneObject,
  markdown: { about: "Markdown for a pull request" },
} as const satisfies OptionTable;

export type CompareFlags = Flags<typeof compareOptions>;

export const planOptions = {
  tasks: { value: "n", required: true, parse: wholeNumber, about: "tasks of the suite" },
  repeats: { value: "k", parse: wholeNumber, default: 1, about: "trials of each task and configuration" },
  families: { value: "n", parse: wholeNumber, about: "of how many families the tasks are, where they are variants of one another" },
  configurations: { value: "n", parse: wholeNumber, default: 2, about: "configurations, all compared with the first" },
  difference: { value: "points", parse: percentagePoints, about: "how many tasks a difference of this many points takes" },
  json: oneObject,
} as const satisfies OptionTable;

export type PlanFlags = Flags<typeof planOptions>;
