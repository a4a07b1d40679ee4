import { oneObject } from "../shared/common-options.ts";
import { wholeNumberFrom } from "../shared/option-values.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

export const viewOptions = {
  port: { value: "n", parse: wholeNumberFrom(0, 65_535), about: "the port to listen on; 0: a free one", unset: "a free one" },
  open: { about: "open the browser, also without a terminal", no: "only print the address" },
  json: { ...oneObject, about: "one JSON object with the address" },
} as const satisfies OptionTable;

export type ViewFlags = Flags<typeof viewOptions>;
