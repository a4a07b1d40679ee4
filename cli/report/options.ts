import { compareOptions } from "../compare/options.ts";
import { oneObject } from "../shared/common-options.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

const { baseline, margin, format } = compareOptions;

export const reportOptions = {
  html: { value: "file", about: "write one self-contained HTML file" },
  markdown: { about: "Markdown on standard output" },
  json: oneObject,
  baseline,
  margin,
  format,
} as const satisfies OptionTable;

export type ReportFlags = Flags<typeof reportOptions>;
