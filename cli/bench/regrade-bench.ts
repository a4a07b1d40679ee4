import { loadJob } from "../../evals/job/results/load-job.ts";
import { regradeJob } from "../../evals/regrade/regrade-job.ts";
import type { RegradedTrial } from "../../evals/job/results/regrade-result.ts";
import { ConfigError } from "../../harness/errors.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { describeRegrade, describeTrial } from "../../reports/terminal/regrade-table.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import type { Task } from "../../tasks/task.ts";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import type { RegradeFlags } from "./options.ts";
import { findJob } from "../../evals/job/find-jobs.ts";
import { interruptible } from "../shared/interruptible.ts";
import { tasksOfJob } from "../../evals/job/tasks-of-job.ts";

/** Carries out `forge bench regrade`; answers the exit code. `name`: a job's folder, or the beginning of its name in `jobs`. */
export async function regrade(name: string, flags: RegradeFlags): Promise<number> {
  const job = await findJob(name);
  const names = new Set((await loadJob(job)).records.map(({ task }) => task));
  const tasks = await tasksFrom(job, names, flags);
  const sandbox = flags.sandbox === undefined ? {} : { sandbox: flags.sandbox };
  const ports = await createBenchPorts(process.env);
  const onTrial = (trial: RegradedTrial): void =>
    void (flags.json
      ? process.stdout.write(`${jsonLine({ type: "trial", ...trial })}\n`)
      : process.stderr.write(`${describeTrial(trial)}\n`));
  try {
    const result = await interruptible(({ stop }) =>
      regradeJob(
        { job, tasks, ...sandbox, keptIsEnough: flags.keptIsEnough ?? false, ...(flags.jobs === undefined ? {} : { jobs: flags.jobs }) },
        ports,
        { signal: stop, onTrial },
      ),
    );
    process.stdout.write(flags.json ? `${jsonLine({ type: "result", ...result })}\n` : `${describeRegrade(result)}\n`);
    return result.trials.some(({ how }) => how === "failed" || how === "left-out") ? 1 : 0;
  } catch (error) {
    if (!(error instanceof Error && error.message === "interrupted")) throw error;
    process.stderr.write("Interrupted: nothing of this regrade was kept, and the job is as it was.\n");
    return 130;
  }
}

async function tasksFrom(job: string, names: ReadonlySet<string>, flags: RegradeFlags): Promise<readonly Task[]> {
  if (flags.task !== undefined && flags.suite !== undefined)
    throw new ConfigError("--task and --suite were both given; --task names tasks one by one, --suite a folder of them.");
  const options = { variables: process.env, taskEnv: flags.taskEnv, plan: false };
  if (flags.suite !== undefined) return (await loadSuite(flags.suite, { ...options, wants: (name) => names.has(name) })).tasks;
  if (flags.task === undefined) return tasksOfJob(job, names, { taskEnv: flags.taskEnv, cure: "Name the tasks with --task or --suite." });
  return (await Promise.all(flags.task.map((folder) => loadSuite(folder, options)))).flatMap((suite) => suite.tasks);
}
