import { configuration, model, oneObject } from "../shared/common-options.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

export const showOptions = { config: configuration, model, json: oneObject } as const satisfies OptionTable;

export type ShowFlags = Flags<typeof showOptions>;
