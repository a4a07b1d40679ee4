import { join } from "node:path";
import { ForgeError, messageOf } from "../../../harness/errors.ts";
import type { SandboxKind } from "../../../harness/sandbox/sandbox.ts";
import type { Task } from "../../../tasks/task.ts";
import type { BenchPorts } from "../../bench-ports.ts";
import { trialsOf } from "../../job/results/trials-of.ts";
import { keptInPart } from "../../regrade/tests-saw-more.ts";
import { isSettled, whyLeftOut } from "../../regrade/why-left-out.ts";
import { toldSteps, traceOfStep } from "../../regrade/recorded-steps.ts";
import { regradeJob } from "../../regrade/regrade-job.ts";
import { artifactsDigest } from "../../trial/keep/lay-out-artifacts.ts";
import type { TrialRecord } from "../../trial/trial-record.ts";
import { createFindings, type Check, type Findings } from "./findings.ts";
import type { CheckedJob } from "./check-job.ts";

export interface RewardsRequest {
  /** The unpacked job. */
  readonly folder: string;
  readonly job: CheckedJob;
  /** The tasks as they are here: from a place that the user named or that comes with Forge, never one that the archive names. */
  readonly tasks: readonly Task[];
  /** Why there are none, where there are none. */
  readonly whyNone: string;
  /** Left out: the job's own kind, but never unconfined. */
  readonly sandbox?: SandboxKind | "local-unsafe";
  readonly jobs?: number;
}

/**
 * Verifies the job's trials again, each from what its agent left, in fresh sandboxes. What agents left is hostile: without the user's word it is
 * only ever run confined.
 */
export async function checkRewards(request: RewardsRequest, ports: BenchPorts, o: { readonly signal: AbortSignal }): Promise<Check[]> {
  const { folder, job, sandbox, jobs } = request;
  const findings = createFindings("rewards", o.signal);
  const unchecked = (says: string): Check[] => [{ name: "rewards", state: "unchecked", says }];
  const { lock } = job;
  if (!lock || !job.table) return unchecked("not every trial can be read");
  if (job.checks.some(({ name, state }) => name === "deltas" && state === "fails")) return unchecked("the kept deltas are not whole");
  if (sandbox === undefined && lock.sandbox === "local")
    return unchecked("the trials ran unconfined on a machine; name a sandbox for what their agents left, such as --sandbox bubblewrap");
  if (request.tasks.length === 0) return unchecked(request.whyNone);
  const kind = sandbox ?? lock.sandbox;
  try {
    const usable = await usableTasks(request, job.records, findings);
    if (usable.length === 0) return findings.checks(() => "");
    const result = await regradeJob(
      { job: folder, tasks: usable, sandbox: kind, keptIsEnough: true, isForeign: true, ...(jobs === undefined ? {} : { jobs }) },
      ports,
      o,
    );
    const before = new Map(job.records.map((record) => [nameOf(record), record]));
    const after = new Map((await trialsOf(result.folder)).map((record) => [nameOf(record), record]));
    for (const { how, why, ...place } of result.trials) {
      const [was, is] = [before.get(nameOf(place)), after.get(nameOf(place))];
      const task = usable.find(({ name }) => name === place.task);
      if (!was || !is || !task || how === "unchanged") continue;
      if (how === "failed") findings.unchecked(`no fresh sandbox could be had: ${why ?? "no reason recorded"}`);
      else if (how === "left-out")
        findings.unchecked(`${place.task}, ${place.configuration}, repeat ${place.repeat}: ${why ?? "too little was kept"}`);
      else compareRewards(was, is, task, findings);
    }
  } catch (error) {
    o.signal.throwIfAborted();
    if (!(error instanceof ForgeError)) throw error;
    return unchecked(messageOf(error));
  }
  const where = kind === lock.sandbox ? `in ${kind}` : `in ${kind}, where the trials ran in ${lock.sandbox}`;
  const checks = findings.checks((n) => `${n} verified again from what the agents left, ${where}`);
  return checks.length > 0 ? checks : unchecked("of no trial was anything verified");
}

/** Those whose tests are the very ones that the job's trials met, and of whose trials everything was kept. */
async function usableTasks({ tasks, job, folder }: RewardsRequest, records: readonly TrialRecord[], findings: Findings): Promise<Task[]> {
  const here = new Map(tasks.map((task) => [task.name, task]));
  const usable: Task[] = [];
  for (const [name, { digest }] of Object.entries(job.lock?.tasks ?? {})) {
    const task = here.get(name);
    const own = records.filter((record) => record.task === name && !isSettled(record));
    const why = !task
      ? `task ${name} is not here`
      : task.digest !== digest
        ? `task ${name} is another one here`
        : (await anyLeftOut(folder, own, task))
          ? `what the agents changed in task ${name} was not kept for every trial`
          : (await haveTravelled(folder, own, task))
            ? undefined
            : `what the verifier of task ${name} got is not in the archive as it was: links and executable bits do not travel`;
    if (why !== undefined) findings.unchecked(why);
    else if (task) usable.push(task);
  }
  return usable;
}

async function anyLeftOut(folder: string, records: readonly TrialRecord[], task: Task): Promise<boolean> {
  for (const record of records) if (await whyLeftOut(folder, record, task)) return true;
  return false;
}

/** Artifacts are files of the job, and an archive has neither links nor modes; deltas tell of both themselves. */
async function haveTravelled(folder: string, records: readonly TrialRecord[], { steps }: Task): Promise<boolean> {
  const kept: Pick<TrialRecord, "delta" | "trace">[] = [];
  for (const record of records) {
    const told = steps && (await toldSteps(folder, record));
    kept.push(...(told?.steps.map((step, i) => ({ ...step, trace: traceOfStep(record, i, step.name) })) ?? [record]));
  }
  for (const { delta, trace } of kept)
    if (delta?.kept === false && (await artifactsDigest(join(folder, trace)).catch(() => undefined)) !== delta.artifacts) return false;
  return true;
}

function compareRewards(was: TrialRecord, is: TrialRecord, task: Task, findings: Findings): void {
  const rewards = ({ rewards: all, score }: TrialRecord): string =>
    JSON.stringify([score, Object.entries(all ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  if (rewards(was) === rewards(is)) return findings.holds();
  const says = `${was.task}, ${was.configuration}, repeat ${was.repeat}: the score was ${String(was.score)}, and verified again it is ${String(is.score)}`;
  const image = was.imageDigest === is.imageDigest ? "" : " (in another image)";
  // Then the tests may have used what lies beside the workdir, and that was not kept.
  if (keptInPart(was, task) !== undefined) findings.unchecked(`${says}${image}; the tests of this task may need more than what was kept`);
  else findings.fails(`${says}${image}`);
}

const nameOf = ({ task, configuration, repeat }: Pick<TrialRecord, "task" | "configuration" | "repeat">): string =>
  JSON.stringify([task, configuration, repeat]);
