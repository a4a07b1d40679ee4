import { objectPerRun, oneObject } from "../../shared/common-options.ts";
import type { Flags, OptionTable } from "../../shared/option-table.ts";

export const exportOptions = {
  format: { value: "name", required: true, about: "atif, otlp, markdown, html or langsmith" },
  out: { value: "place", about: "a folder, made if it does not exist; for a single run also a file", unset: "standard output" },
  force: { about: "replace existing files; with langsmith: send again what it has acknowledged" },
  project: { value: "name", about: "of LangSmith, made if it does not exist", unset: "LANGSMITH_PROJECT, else forge" },
  json: objectPerRun,
} as const satisfies OptionTable;
export type ExportFlags = Flags<typeof exportOptions>;

export const importOptions = {
  format: {
    value: "name",
    about: "harbor, terminal-bench, atif, claude-code, codex, steps or langsmith",
    unset: "recognised by what is there",
  },
  out: { value: "folder", about: "where the runs go", unset: ".forge/runs/imported-FORMAT" },
  json: objectPerRun,
} as const satisfies OptionTable;
export type ImportFlags = Flags<typeof importOptions>;

export const bundleOptions = {
  out: { value: "file", required: true, about: "the archive, such as shared.tgz" },
  json: oneObject,
} as const satisfies OptionTable;
export type BundleFlags = Flags<typeof bundleOptions>;
