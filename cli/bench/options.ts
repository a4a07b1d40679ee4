import { baseUrl, dockerHost, eventsAsLines, model, oneObject, price, taskEnv } from "../shared/common-options.ts";
import type { Bounds } from "../../harness/sandbox/provider.ts";
import { byteSize, dollarAmount, jobName, passRate, wholeNumber, wrongValue } from "../shared/option-values.ts";
import type { Flags, OptionTable } from "../shared/option-table.ts";

const mib = (bytes: number): number => Math.max(1, Math.floor(bytes / 1024 ** 2));

/** One `--bound`. */
function readBound(value: string, option: string): Bounds {
  const [what = "", most = ""] = value.split(/=(.*)/);
  if (what === "memory") return { memoryMb: mib(byteSize(most, `${option} memory`)) };
  if (what === "storage") return { storageMb: mib(byteSize(most, `${option} storage`)) };
  if (what === "pids") return { pids: wholeNumber(most, `${option} pids`) };
  throw wrongValue(option, "memory=4GB, storage=20GB or pids=500", value);
}

export const baselines = ["oracle", "nop"] as const;
/** The baseline that `--agent` names; undefined for another agent, and for none. */
export const baselineOf = (agent: string | undefined): (typeof baselines)[number] | undefined => baselines.find((one) => one === agent);
export const modes = ["official", "hardened"] as const;
export const sandboxes = ["docker", "bubblewrap", "local", "local-unsafe"] as const;

export const benchOptions = {
  config: { group: "What is measured", value: "file|preset", repeat: true, about: "a configuration", unset: "standard" },
  ablate: { value: "file|preset", about: "it, and it without each of its middlewares" },
  add: { rare: true, about: "with --ablate: also none of them, and each one alone" },
  sweep: { value: "option=values", repeat: true, about: "values to try: name.option=3,5" },
  agent: { value: "name", about: "oracle, nop, or an agent of forge agents list" },
  model: { ...model, about: "the model", unset: "each its own, else sim/default" },
  baseUrl,
  filter: { value: "glob", about: "only tasks whose name matches" },
  repeats: { value: "k", parse: wholeNumber, default: 1, about: "trials per task and configuration" },
  untilDecided: { group: "How it runs", about: "stop as soon as it is decided which one is better" },
  maxCost: { value: "usd", parse: dollarAmount, about: "start no trial beyond this cost" },
  minPass: { value: "rate", parse: passRate, about: "exit 1 if one passes less, such as 0.8 or 80%" },
  price: { ...price, rare: true },
  sandbox: { value: "kind", choices: sandboxes, about: "what tasks run in", unset: "the first that works" },
  jobs: { value: "n", parse: wholeNumber, about: "trials at a time", unset: "cores, at most 4" },
  dockerHost: { ...dockerHost, rare: true },
  mode: { rare: true, value: "mode", choices: modes, about: "how work is verified", unset: "as the task is written" },
  bound: {
    rare: true,
    value: "what=most",
    repeat: true,
    parse: readBound,
    about: "limit of a hardened container whose task sets none: memory=4GB, storage=20GB, pids=500",
    unset: "a share of the machine",
  },
  taskEnv: { ...taskEnv, rare: true },
  name: { group: "Output", value: "name", parse: jobName, about: "what to call the job, beside its id" },
  out: { value: "dir", about: "the job's folder", unset: "jobs/<id>" },
  yes: { about: "do not ask before paid work" },
  json: eventsAsLines,
} as const satisfies OptionTable;

export type BenchFlags = Flags<typeof benchOptions> & {
  /** Of `config`, those that a job on disk names and nobody typed: their code must be trusted, and their addresses get no key. */
  readonly recorded?: readonly string[];
  readonly trust?: boolean;
};

export const exportOptions = {
  out: { value: "file", about: "the archive", unset: "the job's name and .tar.gz, in this folder" },
  sign: { value: "key", about: "a private ed25519 key in PEM form" },
  json: oneObject,
} as const satisfies OptionTable;

export type ExportFlags = Flags<typeof exportOptions>;

export const verifyOptions = {
  key: { value: "file", about: "the public ed25519 key, in PEM form, that must have signed it" },
  maxSize: { value: "size", parse: byteSize, about: "what may be unpacked", unset: "4GB" },
  json: oneObject,
  rewards: { group: "Rewards", about: "verify the trials again from what their agents left, in fresh sandboxes" },
  task: { value: "dir", repeat: true, about: "with --rewards: a task's folder" },
  suite: { value: "dir", about: "with --rewards: a folder of the tasks", unset: "the suites that come with Forge" },
  sandbox: {
    value: "kind",
    choices: ["docker", "bubblewrap", "local-unsafe"],
    about: "with --rewards: what tasks run in",
    unset: "the job's",
  },
  taskEnv,
  jobs: { value: "n", parse: wholeNumber, about: "with --rewards: verifications at a time", unset: "2" },
} as const satisfies OptionTable;

export type VerifyFlags = Flags<typeof verifyOptions>;

export const regradeOptions = {
  task: { value: "dir", repeat: true, about: "a task's folder, corrected", unset: "all tasks, from where the job found them" },
  suite: { value: "dir", about: "a corrected suite: builtin, demo, or a folder of tasks" },
  sandbox: { value: "kind", choices: sandboxes, about: "what tasks run in", unset: "the job's" },
  taskEnv,
  jobs: { value: "n", parse: wholeNumber, about: "verifications at a time", unset: "2" },
  keptIsEnough: {
    about:
      "also trials whose tests saw more than the workdir or the declared paths (official mode, verify = snapshot or live), if those are all they need",
  },
  json: { about: "one JSON object a trial, the result last" },
} as const satisfies OptionTable;

export type RegradeFlags = Flags<typeof regradeOptions>;
