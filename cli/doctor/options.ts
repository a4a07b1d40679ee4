import { baseUrl, configuration, model, oneObject, price } from "../shared/common-options.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

export const doctorOptions = {
  config: configuration,
  model,
  baseUrl,
  price,
  call: { about: "call the model once in each way, for at most $0.02" },
  json: oneObject,
} as const satisfies OptionTable;

export type DoctorFlags = Flags<typeof doctorOptions>;
