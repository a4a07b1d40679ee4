import type { ConfigFile } from "../../harness/config/schema.ts";
import { baseUrl, configuration, model, oneObject, price } from "../shared/common-options.ts";
import { dollarAmount, wholeNumber } from "../shared/option-values.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

export const runOptions = {
  config: configuration,
  model,
  baseUrl,
  protocol: { value: "protocol", choices: ["native", "text"], about: "how the model calls tools" },
  turns: { value: "n", parse: wholeNumber, about: "model calls at most" },
  maxCost: { value: "usd", parse: dollarAmount, about: "stop at this cost" },
  price,
  sandbox: { value: "kind", choices: ["bubblewrap", "local"], about: "what commands run in", unset: "bubblewrap where it works" },
  yes: { about: "run commands without asking" },
  trust: {
    about: "run the files of middleware and tools that this repository's configuration names, as they are now",
    unset: "you are asked",
  },
  json: { ...oneObject, about: "one JSON object at the end" },
  jsonStream: { about: "every event as a line of JSON, the result last" },
} as const satisfies OptionTable;

export type RunFlags = Flags<typeof runOptions>;

/** What the flags set of a configuration. */
export function configOfFlags(flags: RunFlags): ConfigFile {
  const settings = {
    ...(flags.model === undefined ? {} : { name: flags.model }),
    ...(flags.baseUrl === undefined ? {} : { baseUrl: flags.baseUrl }),
    ...(flags.protocol === undefined ? {} : { protocol: flags.protocol }),
    ...(flags.price === undefined ? {} : { price: flags.price }),
  };
  const limits = {
    ...(flags.turns === undefined ? {} : { turns: flags.turns }),
    ...(flags.maxCost === undefined ? {} : { costUsd: flags.maxCost }),
  };
  return { ...(Object.keys(settings).length > 0 ? { model: settings } : {}), ...(Object.keys(limits).length > 0 ? { limits } : {}) };
}
