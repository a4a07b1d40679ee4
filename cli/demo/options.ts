import type { Flags, OptionTable } from "../shared/option-table.ts";

export const demoOptions = {
  out: { value: "folder", default: "forge-demo", about: "where the runs, the change and the report are put" },
} as const satisfies OptionTable;

export type DemoFlags = Flags<typeof demoOptions>;
