import { issueStore, oneObject } from "../shared/common-options.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

const store = issueStore;

export const listOptions = { store, json: { about: "one JSON object an issue" } } as const satisfies OptionTable;
export type StoreFlags = Flags<typeof listOptions>;

export const showOptions = { store, json: oneObject } as const satisfies OptionTable;

export const acceptOptions = {
  base: { value: "file", about: "your own file of the configuration that was run", unset: "rebuilt from the recording" },
  out: { value: "folder", about: "where the files are put", unset: "patches in the store" },
  store,
  json: oneObject,
} as const satisfies OptionTable;
export type AcceptFlags = Flags<typeof acceptOptions>;

export const editOptions = {
  patch: { value: "file", about: "the changed keys, as in any configuration", unset: "opens $VISUAL or $EDITOR" },
  store,
  json: oneObject,
} as const satisfies OptionTable;
export type EditFlags = Flags<typeof editOptions>;

export const rejectOptions = {
  reason: { value: "text", about: "why", required: true },
  store,
  json: oneObject,
} as const satisfies OptionTable;
export type RejectFlags = Flags<typeof rejectOptions>;

export const applyOptions = {
  to: { value: "file", about: "the configuration", default: "forge.yaml" },
  yes: { about: "do not ask" },
  store,
  json: oneObject,
} as const satisfies OptionTable;
export type ApplyFlags = Flags<typeof applyOptions>;

export const exportOptions = {
  out: { value: "file", about: "a file in place of standard output" },
  store,
  json: { about: "one JSON object an issue, in place of Markdown" },
} as const satisfies OptionTable;
export type ExportFlags = Flags<typeof exportOptions>;
