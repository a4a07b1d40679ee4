import { oneObject } from "../shared/common-options.ts";
import { wholeNumber } from "../shared/option-values.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

export const checkOptions = {
  filter: { value: "glob", about: "only tasks whose name fits" },
  sandbox: { value: "kind", choices: ["docker", "bubblewrap", "local"], about: "what tasks run in", unset: "the first that works" },
  full: { about: "the whole gate, not only a quick look" },
  repeats: { value: "n", parse: wholeNumber, about: "trials of the solution", unset: "1, with --full 10" },
  jobs: { value: "n", parse: wholeNumber, about: "tasks at a time", unset: "2" },
  attack: {
    value: "names",
    bare: true,
    about: "instead, try known attacks on the task: those named, separated by commas; without a name all",
  },
  json: { about: "one JSON object a task" },
} as const satisfies OptionTable;
export type CheckFlags = Flags<typeof checkOptions>;

/** Of a task that is drafted and tried. */
const draftOptions = {
  out: { value: "dir", about: "a folder that does not exist yet; its last part is the task's name" },
  family: { value: "name", about: "its kind, by which results are grouped" },
  split: { value: "split", choices: ["train", "validation", "test"], about: "which part of a suite it belongs to", unset: "train" },
  level: { value: "level", choices: ["easy", "medium", "hard"], about: "its difficulty", unset: "medium" },
  image: { value: "image", about: "what the image starts from; the task then needs Docker" },
  setup: { value: "cmd", repeat: true, about: "a RUN of the image, after the files are in place" },
  timeout: { value: "s", parse: wholeNumber, about: "seconds that the check may take", unset: "300" },
  sandbox: { value: "kind", choices: ["docker", "bubblewrap"], about: "where it is tried", unset: "the first that works" },
  untried: { about: "keep the task without trying it" },
  json: oneObject,
} as const satisfies OptionTable;
export type DraftFlags = Flags<typeof draftOptions>;

export const initOptions = { json: oneObject } as const satisfies OptionTable;

export const fromGitOptions = {
  tests: { value: "globs", about: "which changed files are tests, separated by commas", unset: "by their names" },
  check: { value: "cmd", about: "how the tests are run; {tests} is replaced by their names", unset: "pytest or node --test" },
  instruction: { value: "file", about: "the agent's instruction, in place of the commit's message" },
  ...draftOptions,
} as const satisfies OptionTable;
export type FromGitFlags = Flags<typeof fromGitOptions>;

export const fromRunOptions = {
  check: { value: "cmd", required: true, about: "ends with 0 when the request is met" },
  tests: {
    value: "globs",
    about: 'which files are tests, put back before the check, separated by commas, or "" for none',
    unset: "by their names",
  },
  solution: { value: "patch", about: "a patch that meets the request", unset: "what the run changed" },
  ...draftOptions,
} as const satisfies OptionTable;
export type FromRunFlags = Flags<typeof fromRunOptions>;

export const showOptions = { json: oneObject } as const satisfies OptionTable;

export const listOptions = { json: { about: "one JSON array" } } as const satisfies OptionTable;

export const statsOptions = {
  byArm: { about: "a line for each configuration too" },
  json: { about: "one JSON array" },
} as const satisfies OptionTable;
export type StatsFlags = Flags<typeof statsOptions>;

export const generateOptions = {
  family: { value: "names", required: true, repeat: true, about: "names separated by commas, a glob, or all" },
  seeds: { value: "a..b", required: true, about: "a whole number from 0 to 999999999, or a range of at most 10000 of them" },
  level: { value: "levels", repeat: true, about: "easy, medium, hard, separated by commas", unset: "all three" },
  out: { value: "dir", required: true, about: "a folder that does not exist yet, or is empty" },
  json: { ...oneObject, about: "one JSON object: the folder and the tasks' names" },
} as const satisfies OptionTable;
export type GenerateFlags = Flags<typeof generateOptions>;

export const familiesOptions = { json: { about: "one JSON array" } } as const satisfies OptionTable;
