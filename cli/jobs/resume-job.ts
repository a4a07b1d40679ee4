import { plural } from "../../harness/text/figures.ts";
import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { askedSchema } from "../../evals/job/asked-command.ts";
import { readJson } from "../../harness/files/read-json.ts";
import type { Bounds } from "../../harness/sandbox/provider.ts";
import { ConfigError, DamagedError } from "../../harness/errors.ts";
import { baselines, modes, sandboxes, type BenchFlags } from "../bench/options.ts";
import type { ResumeFlags } from "./options.ts";
import { requireOwnAddress } from "../../harness/trust/own-address.ts";
import { runBench } from "../bench/run-bench.ts";
import { findJob } from "../../evals/job/find-jobs.ts";

/** As the command line would have it. */
const readableSchema = askedSchema.extend({
  agent: z.enum(["configured", ...baselines]),
  mode: z.enum(modes).nullable(),
  sandbox: z.enum(sandboxes).nullable(),
});

/** Of a job's lock, what was said of it besides what it measures. */
const saidSchema = z.looseObject({ cwd: z.string().optional(), maxCostUsd: z.number().optional() });

/**
 * Carries out `forge jobs resume`: the job's own command again, from the folder it was given in, with what is added to it. Answers the exit code.
 * A job may have been handed on: what it names is not the user's word, so code must be trusted and a distant address be said again.
 */
export async function resumeJob(name: string, o: ResumeFlags): Promise<number> {
  const folder = await findJob(name);
  const { asked, agent, repeats, filter, mode, sandbox, untilDecided } = await readAsked(join(folder, "config.json"));
  const lock = await readJson(join(folder, "lock.json"), saidSchema, "is not the lock of a job; restore it from a copy of the job.");
  const more = (o.config ?? []).map((config) => (existsSync(config) ? resolve(config) : config));
  if (o.repeats !== undefined && o.repeats < repeats)
    throw new ConfigError(
      `--repeats: ${folder} has ${plural(repeats, "repeat")} already, and ${o.repeats} are fewer; finished trials are not taken back.`,
    );
  const chosen = <K extends keyof BenchFlags>(key: K, value: BenchFlags[K] | null): Partial<BenchFlags> =>
    value === null || value === undefined ? {} : { [key]: value };
  if (o.baseUrl === undefined) requireOwnAddress(asked.baseUrl ?? undefined, folder);
  const unsaid = (asked.taskEnv ?? []).filter((variable) => !o.taskEnv?.includes(variable));
  if (unsaid.length > 0)
    throw new ConfigError(
      `${folder}: the job gives tasks ${unsaid.map((variable) => JSON.stringify(variable)).join(", ")} of your environment, and it may be another person's job. Allow it again: name each by --task-env.`,
    );
  const flags: BenchFlags = {
    config: [...asked.config, ...more],
    recorded: [...asked.config, ...(asked.ablate === undefined ? [] : [asked.ablate])].filter((config) => !more.includes(config)),
    repeats: o.repeats ?? repeats,
    out: folder,
    ...(agent === "configured" ? chosen("agent", asked.agent) : { agent }),
    ...chosen("untilDecided", untilDecided),
    ...chosen("ablate", asked.ablate),
    ...chosen("add", asked.add),
    ...chosen("sweep", asked.sweep),
    ...chosen("model", asked.model),
    ...chosen("baseUrl", o.baseUrl ?? asked.baseUrl),
    ...chosen("price", asked.price),
    ...chosen("filter", o.filter ?? filter),
    ...chosen("mode", mode),
    ...chosen("sandbox", sandbox),
    ...chosen("dockerHost", o.dockerHost),
    ...chosen("jobs", o.jobs),
    ...chosen("maxCost", o.maxCost ?? lock?.maxCostUsd),
    ...chosen("minPass", o.minPass),
    ...chosen("yes", o.yes),
    ...chosen("json", o.json),
    ...chosen("trust", o.trust),
    ...chosen("taskEnv", o.taskEnv),
    ...chosen("bound", asked.bounds && [asked.bounds as Bounds]), // JSON has no undefined
  };
  goTo(folder, lock?.cwd);
  return runBench(asked.suite, flags);
}

async function readAsked(path: string): Promise<z.infer<typeof readableSchema>> {
  try {
    return readableSchema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    throw new DamagedError(`${path} is not a request that forge bench wrote; continue with the command that started the job and --out.`);
  }
}

/** Paths in the request are meant from where it was made. */
function goTo(folder: string, cwd: string | undefined): void {
  if (cwd === undefined || cwd === process.cwd()) return;
  try {
    process.chdir(cwd);
  } catch {
    throw new ConfigError(
      `The job was started in ${cwd}, which is gone; continue with forge bench and --out ${folder}, from where its files are now.`,
    );
  }
}
