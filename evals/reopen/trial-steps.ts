import { plural } from "../../harness/text/figures.ts";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { readJson } from "../../harness/files/read-json.ts";
import { readyForAgent } from "../trial/sandbox/ready-for-agent.ts";
import { prepareStep, taskOfStep } from "../trial/sandbox/prepare-step.ts";
import { withNetwork } from "../trial/sandbox/phase-network.ts";
import type { Agent, BenchPorts } from "../bench-ports.ts";
import { CannotError } from "../../harness/errors.ts";
import { asUser } from "../../harness/sandbox/as-user.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import type { Task } from "../../tasks/task.ts";
import { hasTrace } from "../../traces/format/trace-files.ts";
import { recordedCalls, reExecute } from "../../traces/replay/tools/re-execute.ts";
import { openTrial, type OpenedTrial } from "./open-trial.ts";
import { asHere, modeOf, trialTools } from "./trial-tools.ts";

const stepsSchema = z.looseObject({ steps: z.array(z.looseObject({ name: z.string().regex(/^(?!\.{1,2}$)[^/\0]+$/) })) });

/** The run that recorded call `call` of a trial belongs to, counted through the steps of its task; left out: its last. */
export interface RunOfTrial {
  readonly run: OpenedTrial;
  /** How many calls of that run come before the place that was asked for. */
  readonly calls: number;
}

/**
 * Opens a trial's run by its place in the trial. An attempt's own folder stands for all its steps, a step's for those until it; a trial of one step has one run.
 * `total`: the calls of all of them.
 */
export async function runOfTrial(
  folder: string,
  call: number | undefined,
): Promise<{ readonly found: RunOfTrial | undefined; readonly total: number }> {
  const opened = await openTrial(folder);
  const runs: OpenedTrial[] = isStep(opened.folder) ? [await openTrial(attemptOf(opened.folder))] : [opened];
  for (const at of await laterRuns(attemptOf(opened.folder))) {
    if (isStep(opened.folder) && runs.at(-1)?.folder === opened.folder) break;
    runs.push(await openTrial(at));
  }
  let total = 0;
  let found: RunOfTrial | undefined;
  for (const run of runs) {
    const { length } = recordedCalls(run.events);
    if (call === undefined ? run === runs.at(-1) : !found && call <= total + length)
      found = { run, calls: call === undefined ? length : call - total };
    total += length;
  }
  return { found, total };
}

const isStep = (folder: string): boolean => basename(dirname(folder)) === "steps";
const attemptOf = (folder: string): string => (isStep(folder) ? dirname(dirname(folder)) : folder);

/** Of an attempt at a task in steps: the folders of its runs after the first, in order. @throws DamagedError where its `steps.json` cannot be read */
export async function laterRuns(attempt: string): Promise<string[]> {
  const damaged = "does not list the steps of a task, as forge bench writes it; restore it from a copy of the job.";
  const told = await readJson(join(attempt, "steps.json"), stepsSchema, damaged);
  const names = (told?.steps ?? []).slice(1).map(({ name }) => name);
  return names.map((name) => join(attempt, "steps", name)).filter((at) => hasTrace(at));
}

/**
 * Makes a sandbox ready for the agent of a trial's run, and answers the task as that agent had it. Of a task in steps it is the run's step: steps before it are
 * prepared and their recorded calls carried out again; what their tests did is not.
 */
export async function readyForRun(
  trial: OpenedTrial,
  o: {
    readonly task: Task;
    readonly agent: Agent;
    readonly sandbox: Sandbox;
    readonly ports: BenchPorts;
    readonly signal: AbortSignal;
    readonly say: (line: string) => void;
  },
): Promise<Task> {
  const { task, agent, sandbox, ports, signal, say } = o;
  const mode = modeOf(trial, task);
  const { steps } = task;
  if (!steps) {
    await readyForAgent({ agent, mode, task }, sandbox, signal);
    return task;
  }
  const attempt = attemptOf(trial.folder);
  const last = isStep(trial.folder) ? steps.findIndex(({ name }) => name === basename(trial.folder)) : 0;
  if (last < 0)
    throw new CannotError(`Task "${task.name}" has no step "${basename(trial.folder)}" any more; name the task as it was with --task.`);
  if (last > 0) say("What the tests of earlier steps did is not repeated.");
  for (const [i, step] of steps.slice(0, last + 1).entries()) {
    const not = await prepareStep(step, sandbox, { after: steps[i - 1], mode, environment: task.environment, signal });
    if (not) throw new CannotError(`Step "${step.name}" of task "${task.name}" cannot begin again: ${not.why}.`);
    const own = taskOfStep(task, step);
    await readyForAgent({ agent, mode, task: own }, sandbox, signal);
    if (i === last) return own;
    const run = await openTrial(i === 0 ? attempt : join(attempt, "steps", step.name));
    const worker = asUser(sandbox, step.agent.user);
    const calls = recordedCalls(run.events);
    const done = await withNetwork(sandbox, task.environment, step.agent.network, async () =>
      reExecute(calls, await trialTools(run, worker, ports), { signal, expected: asHere(run, sandbox) }),
    );
    const differ = done.filter(({ same }) => !same).length;
    if (differ > 0)
      say(
        `Step "${step.name}": ${differ} of ${plural(done.length, "call")} with another result, so what differs later may come from there.`,
      );
  }
  return task;
}
