import { dockerHost, oneObject } from "../shared/common-options.ts";
import { byteSize } from "../shared/option-values.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

export const pruneOptions = {
  keep: { value: "size", required: true, parse: byteSize, about: "what they may take together, such as 20GB" },
  dockerHost: { ...dockerHost, about: "a Docker daemon, such as ssh://me@big", unset: "this machine's" },
  json: oneObject,
} as const satisfies OptionTable;

export type PruneFlags = Flags<typeof pruneOptions>;
