import type { Flags, OptionTable } from "../shared/option-table.ts";

export const demoOptions = {
  all: { about: "each command with its whole output, the analyst's recorded reading too" },
  out: { value: "folder", default: "forge-demo", about: "where the runs, the change and the report are put" },
} as const satisfies OptionTable;

export type DemoFlags = Flags<typeof demoOptions>;
