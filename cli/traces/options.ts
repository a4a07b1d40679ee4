import { objectPerRun, oneObject } from "../shared/common-options.ts";
import { wholeNumber } from "../shared/option-values.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

const limit = { value: "n", short: "n", parse: wholeNumber, about: "only so many" } as const;
const type = { value: "type", repeat: true, about: "only events of this type, such as tool.call" } as const;

export const listOptions = {
  limit: { ...limit, unset: "50, with --json all" },
  json: { about: "one JSON object a run" },
} as const satisfies OptionTable;
export type ListFlags = Flags<typeof listOptions>;

export const showOptions = {
  step: { value: "turn", parse: wholeNumber, about: "only this turn, nothing cut" },
  grep: { value: "text", about: "only the events that contain this text, whatever its case, one a line" },
  type: { ...type, about: "only events of this type, one a line, such as tool.call" },
  full: { about: "cut nothing" },
  json: { about: "one JSON object a turn, or an event; with --full or --step a turn's events too" },
} as const satisfies OptionTable;
export type ShowFlags = Flags<typeof showOptions>;

export const tailOptions = { json: { about: "one JSON object an event" } } as const satisfies OptionTable;

export const diffOptions = { json: oneObject } as const satisfies OptionTable;

export const searchOptions = {
  type,
  limit: { ...limit, unset: "50, with --json all" },
  json: { about: "one JSON object an event, the summary last" },
} as const satisfies OptionTable;
export type SearchFlags = Flags<typeof searchOptions>;

export const indexOptions = { json: oneObject } as const satisfies OptionTable;

export const statsOptions = { json: oneObject } as const satisfies OptionTable;

export const verifyOptions = {
  all: { about: "each run" },
  json: objectPerRun,
} as const satisfies OptionTable;
export type VerifyFlags = Flags<typeof verifyOptions>;

export const treeOptions = {
  all: { about: "also runs that no other continues" },
  json: { about: "one JSON object a tree" },
} as const satisfies OptionTable;
export type TreeFlags = Flags<typeof treeOptions>;
