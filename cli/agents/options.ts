import { oneObject } from "../shared/common-options.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

export const listOptions = { json: oneObject } as const satisfies OptionTable;
export type ListFlags = Flags<typeof listOptions>;

export const checkOptions = {
  sandbox: { value: "kind", choices: ["docker", "local-unsafe"], default: "docker", about: "what it runs in" },
  out: { value: "dir", about: "a new folder for its trials", unset: "jobs/agents/<name>-<time>" },
  json: oneObject,
} as const satisfies OptionTable;
export type CheckFlags = Flags<typeof checkOptions>;
