import type { BenchPorts } from "../bench-ports.ts";
import type { BenchRequest } from "./bench-request.ts";
import { resolveJob } from "./resolve-job.ts";
import type { TrialPlan } from "../trial/trial-plan.ts";
import { jobFolder } from "../job/job-folder.ts";
import { newJob } from "./open-job.ts";
import { isFinal } from "../job/results/past-trial.ts";
import { createResultReader } from "../job/results/published-results.ts";

/**
 * The trials that a bench would run: those of the request without a final result in its job's folder, of which nothing is changed.
 * @throws ConfigError or CannotError for what the bench would refuse; DamagedError for a result that was changed
 */
export async function trialsLeft(request: BenchRequest, ports: BenchPorts): Promise<readonly TrialPlan[]> {
  const { plans, config } = await resolveJob(request, ports);
  const job = jobFolder(newJob(request, config).path);
  const results = createResultReader(job.path);
  const left: TrialPlan[] = [];
  for (const plan of plans) {
    const record = await results.read(job.trial({ ...plan, task: plan.task.name }));
    if (!record || !isFinal(record)) left.push(plan);
  }
  return left;
}
