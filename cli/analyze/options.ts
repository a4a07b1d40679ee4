import { issueStore, oneObject } from "../shared/common-options.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

export const analyzeOptions = {
  rules: { about: "use no model (always so, until there is another way)" },
  all: { about: "every issue, and every run that was left out" },
  store: issueStore,
  json: oneObject,
} as const satisfies OptionTable;

export type AnalyzeFlags = Flags<typeof analyzeOptions>;
