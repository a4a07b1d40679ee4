import { baseUrl, dockerHost, issueStore, model, oneObject, price } from "../shared/common-options.ts";
import { span, wholeNumber } from "../shared/option-values.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";
import { sandboxes } from "../bench/options.ts";

export const improveOptions = {
  tasks: {
    value: "suite",
    required: true,
    about: "generated, or a folder of generated tasks",
  },
  config: { value: "name", about: "the configuration to improve", unset: "its only one" },
  gate: {
    value: "auto",
    choices: ["auto"],
    about: "accept what the analysis proposes; needs --budget",
    unset: "only what you accepted",
  },
  maxPatches: {
    rare: true,
    value: "n",
    parse: wholeNumber,
    about: "screen at most so many, those with the largest predicted gain first",
    unset: "all",
  },
  base: {
    rare: true,
    value: "file",
    about: "with --gate auto: your own file of the configuration that was run",
    unset: "rebuilt from the recording",
  },
  screenSeeds: { rare: true, value: "n", parse: wholeNumber, default: 3, about: "fresh tasks a develop family, each one pair a patch" },
  testSeeds: { rare: true, value: "n", parse: wholeNumber, default: 3, about: "fresh tasks a test family" },
  budget: {
    group: "When it stops",
    value: "time",
    parse: span,
    about: "such as 60m; the same command again resumes",
  },
  model: { ...model, group: "Where and how it runs", about: "the model", unset: "the job's" },
  baseUrl: { ...baseUrl, rare: true, unset: "the job's, where it is on this machine" },
  price: { ...price, rare: true },
  sandbox: { rare: true, value: "kind", choices: sandboxes, about: "what tasks run in", unset: "the job's" },
  dockerHost: { ...dockerHost, rare: true },
  jobs: { value: "n", parse: wholeNumber, about: "trials at a time", unset: "cores, at most 4" },
  store: { ...issueStore, rare: true },
  out: { rare: true, group: "Output", value: "folder", about: "the improvement's folder", unset: ".forge/improvements/<hash of the plan>" },
  yes: { about: "do not ask" },
  json: oneObject,
} as const satisfies OptionTable;

export type ImproveFlags = Flags<typeof improveOptions>;
