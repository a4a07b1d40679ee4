import { baseUrl, issueStore, oneObject, price } from "../shared/common-options.ts";
import { dollarAmount, wholeNumber } from "../shared/option-values.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

export const analyzeOptions = {
  model: { value: "provider/name", about: "a model that reads the failed runs", unset: "rules and contrast alone" },
  baseUrl,
  protocol: { value: "protocol", choices: ["native", "text"], about: "how the model calls tools" },
  oneCall: { about: "show a run in one message, for a model that calls no tools" },
  recorded: { value: "folder", about: "conversations of an earlier analysis, in place of a model" },
  window: { value: "tokens", parse: wholeNumber, about: "of prompt and run in one message at most", default: 24_000 },
  maxCost: { value: "usd", parse: dollarAmount, about: "send no further request beyond this cost" },
  price,
  parallel: { value: "n", parse: wholeNumber, about: "runs that the model reads at a time", default: 2 },
  yes: { about: "do not ask before paid work" },
  rules: { about: "use no model (so without --model too)" },
  all: { about: "every issue, and every run that was left out" },
  store: issueStore,
  json: oneObject,
} as const satisfies OptionTable;

export type AnalyzeFlags = Flags<typeof analyzeOptions>;
