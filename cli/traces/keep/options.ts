import { objectPerRun } from "../../shared/common-options.ts";
import { byteSize, span } from "../../shared/option-values.ts";
import type { Flags, OptionTable } from "../../shared/option-table.ts";

const json = objectPerRun;

export const recoverOptions = { json } as const satisfies OptionTable;

export const compressOptions = {
  undo: { about: "make plain files of compressed ones" },
  json,
} as const satisfies OptionTable;

export const gcOptions = { dryRun: { about: "only list what would be removed" }, json } as const satisfies OptionTable;

export const pinOptions = { undo: { about: "let them be pruned again" }, json } as const satisfies OptionTable;

export const pruneOptions = {
  olderThan: { value: "time", parse: span, about: "only runs that no process wrote to for this long: 12h, 30d" },
  largerThan: { value: "size", parse: byteSize, about: "only runs that take more: 500MB, 2GB" },
  keep: { value: "size", parse: byteSize, about: "the oldest, until all runs together take no more than this" },
  unsealed: { about: "only what ended processes left: no seal, and no process writes it" },
  dryRun: { about: "only list what would be removed" },
  json,
} as const satisfies OptionTable;
export type PruneFlags = Flags<typeof pruneOptions>;
