import { oneObject } from "../shared/common-options.ts";
import { wholeNumber, wholeNumberFrom } from "../shared/option-values.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

/** Above it a typing mistake would fill a disk. */
const mostRuns = 20_000;
const mostSeed = 2 ** 31 - 1;

export const corpusOptions = {
  out: { value: "dir", required: true, about: "a folder that does not exist yet, or is empty" },
  runs: { value: "n", required: true, parse: wholeNumberFrom(1, mostRuns), about: "how many" },
  seed: { value: "n", parse: wholeNumberFrom(0, mostSeed), default: 1, about: "a whole number below 2^31" },
  faults: { value: "names", about: "names or globs, separated by commas", unset: "all" },
  suite: { value: "suite", default: "builtin", about: "builtin, demo, or a folder of tasks with plans" },
  config: { value: "file|preset", default: "bare", about: "the harness that meets the faults" },
  protocol: { value: "protocol", choices: ["native", "text"], about: "how the model calls tools", unset: "native" },
  sandbox: {
    value: "kind",
    choices: ["docker", "bubblewrap", "local"],
    about: "what tasks run in",
    unset: "bubblewrap where it works",
  },
  jobs: { value: "n", parse: wholeNumber, about: "runs at a time", unset: "the number of cores, at most 4" },
  json: { ...oneObject, about: "one JSON object with the key" },
} as const satisfies OptionTable;

export type CorpusFlags = Flags<typeof corpusOptions>;

export const serveOptions = {
  port: { value: "n", parse: wholeNumberFrom(0, 65_535), default: 0, about: "the port to listen on; 0: a free one" },
  host: { value: "address", default: "127.0.0.1", about: "where to listen" },
  profile: { value: "name", about: "default, careless, perfect, varied, one-fault, or a fault" },
  faults: { value: "names", about: "each run commits one of these; names or globs, separated by commas, or all" },
  realtime: { about: "replies take as long as a provider's would" },
  json: { ...oneObject, about: "one JSON object with the addresses, once it listens" },
} as const satisfies OptionTable;

export type ServeFlags = Flags<typeof serveOptions>;
