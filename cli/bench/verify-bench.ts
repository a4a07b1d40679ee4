import { statSync } from "node:fs";
import { checkRewards } from "../../evals/archive/check/check-rewards.ts";
import { readPublicKey } from "../../evals/archive/signature.ts";
import { verifyArchive } from "../../evals/archive/verify-archive.ts";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { createSlowProgress } from "../../reports/text/slow-progress.ts";
import { describeVerification } from "../../reports/terminal/verification.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import { ownSuites } from "../../tasks/formats/own-suites.ts";
import type { Task } from "../../tasks/task.ts";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import type { VerifyFlags } from "./options.ts";
import { interruptible } from "../shared/interruptible.ts";
import { systemClock } from "../../harness/system-ports.ts";
import { forgeVersion } from "../../harness/package/package-root.ts";

type Rewards = NonNullable<Parameters<typeof verifyArchive>[1]["rewards"]>;

const defaultMaxBytes = 4e9;

/** Carries out `forge bench verify`; answers the exit code. */
export async function verifyBench(archive: string, flags: VerifyFlags): Promise<number> {
  const found = statSync(archive, { throwIfNoEntry: false });
  if (!found) throw new CannotError(`There is no file ${archive}; forge bench export writes one.`);
  if (!found.isFile()) throw new CannotError(`${archive} is a folder or no file; name an archive that forge bench export wrote.`);
  const key = flags.key === undefined ? {} : { key: await readPublicKey(flags.key) };
  const progress = createSlowProgress(process.stderr, systemClock.now);
  try {
    const verification = await interruptible(({ stop }) =>
      verifyArchive(
        { archive, ...key, maxBytes: flags.maxSize ?? defaultMaxBytes, forgeVersion: forgeVersion() },
        { signal: stop, onProgress: (what, done, of) => progress.at(what, done, of), ...rewardsOf(flags, stop) },
      ),
    );
    progress.end();
    process.stdout.write(flags.json ? `${jsonLine(verification)}\n` : `${describeVerification(verification)}\n`);
    return verification.ok ? 0 : 1;
  } catch (error) {
    progress.end();
    if (!(error instanceof Error && error.message === "interrupted")) throw error;
    process.stderr.write("Interrupted: the archive was not verified.\n");
    return 130;
  }
}

function rewardsOf(flags: VerifyFlags, signal: AbortSignal): { rewards?: Rewards } {
  const more = (["task", "suite", "sandbox", "jobs", "taskEnv"] as const).find((option) => flags[option] !== undefined);
  if (flags.rewards !== true && more !== undefined)
    throw new ConfigError(`--${more === "taskEnv" ? "task-env" : more} says how rewards are verified again; add --rewards.`);
  if (flags.rewards !== true) return {};
  if (flags.task !== undefined && flags.suite !== undefined)
    throw new ConfigError("--task and --suite were both given; --task names tasks one by one, --suite a folder of them.");
  const sandbox = flags.sandbox === undefined ? {} : { sandbox: flags.sandbox };
  const jobs = flags.jobs === undefined ? {} : { jobs: flags.jobs };
  return {
    async rewards(folder, job) {
      const names = new Set(Object.keys(job.lock?.tasks ?? {}));
      const { tasks, whyNone } = await tasksFrom(flags, job.lock?.suite.name ?? "", names);
      return checkRewards({ folder, job, tasks, whyNone, ...sandbox, ...jobs }, await createBenchPorts(process.env), { signal });
    },
  };
}

/** Never from a place that the archive names, but for the suites that come with Forge. */
async function tasksFrom(
  { task, suite, taskEnv }: VerifyFlags,
  named: string,
  names: ReadonlySet<string>,
): Promise<{ tasks: readonly Task[]; whyNone: string }> {
  const wanted = { variables: process.env, taskEnv, plan: false, wants: (name: string) => names.has(name) };
  const place = suite ?? ownSuites.find((name) => name === named);
  const suites = await Promise.all((task ?? (place === undefined ? [] : [place])).map((one) => loadSuite(one, wanted)));
  const [refused] = suites.flatMap((one) => one.refused ?? []);
  return {
    tasks: suites.flatMap((one) => one.tasks),
    whyNone: refused?.reason.replace(/\.$/, "") ?? "its tasks do not come with Forge; name them with --suite or --task",
  };
}
