import { isSimulated } from "../../harness/contract/resolved-config.ts";
import { DeadlineError, type AgentInput, type RunResult } from "../../harness/contract/run-result.ts";
import { CannotError } from "../../harness/errors.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import { timerMs } from "../../harness/timer-ms.ts";
import type { Task } from "../../tasks/task.ts";
import { removeTrace } from "../../traces/keep/remove-trace.ts";
import type { LoadedTrace } from "../../traces/read/load-trace.ts";
import { runName } from "../../traces/read/run-name.ts";
import type { RunParent } from "../../traces/read/run-parent.ts";
import type { OtherConfig } from "../../traces/replay/dry/other-config.ts";
import { eventsBefore, forkPorts, type Fork } from "../../traces/replay/fork/fork-ports.ts";
import type { PlannedFork } from "../../traces/replay/fork/plan-fork.ts";
import { recordedCalls, reExecute } from "../../traces/replay/tools/re-execute.ts";
import type { TrialRun } from "../bench-ports.ts";
import { givenUp } from "../trial/attempt/given-up.ts";
import { hashWorkdir } from "./hash-workdir.ts";
import type { OpenedTrial } from "./open-trial.ts";
import { inTrialSandbox, type TrialSandboxOptions } from "./trial-sandbox.ts";
import { asHere, trialTools } from "./trial-tools.ts";

export interface ForkRequest {
  readonly trace: LoadedTrace;
  readonly trial: OpenedTrial;
  readonly planned: PlannedFork;
  readonly other: OtherConfig;
  /** Of the new run; asked for when the sandbox is as it was. */
  readonly newFolder: () => Promise<string>;
  readonly place: Omit<TrialSandboxOptions, "plan" | "say" | "after">;
}

export interface ForkedTrial {
  /** Of the new run. */
  readonly folder: string;
  readonly result: RunResult;
  readonly carriedOut: number;
  /** Of those, with another result than recorded: the sandbox may not be as it was. */
  readonly differ: number;
  readonly notes: readonly string[];
}

/** A run that is lost is given so long to end. */
const endingMs = 10_000;
const last = (): true => true;

/** L3: a recorded trial as it was up to where another configuration acts differently, then live, as a run of its own. */
export async function forkTrial(o: ForkRequest): Promise<ForkedTrial> {
  const { trace, trial, planned, other, place } = o;
  const { ports, signal } = place;
  const before = eventsBefore(trace.events, planned);
  const notes: string[] = [];
  const say = (line: string): void => void (line.includes("differ") && notes.push(line));
  return inTrialSandbox(trial, { ...place, plan: isSimulated(other.config), say }, async (sandbox, task, whole) => {
    const tools = await trialTools(trial, sandbox, ports);
    const calls = await reExecute(recordedCalls(before), tools, { signal, expected: asHere(trial, sandbox) });
    const folder = await o.newFolder();
    const { result, trace: recorded } = await goOn(o, { sandbox, task, folder });
    const workspaceHash = await hashWorkdir(whole).catch(() => null);
    await recorded.seal(workspaceHash === null ? {} : { workspaceHash });
    return { folder, result, carriedOut: calls.length, differ: calls.filter(({ same }) => !same).length, notes };
  });
}

/** The run itself. @throws CannotError where the recording is lost before anything ran live; nothing of the run is kept then */
async function goOn(
  { trace, trial, planned, other, place }: ForkRequest,
  { sandbox, task, folder }: { readonly sandbox: Sandbox; readonly task: Task; readonly folder: string },
): Promise<TrialRun> {
  const { ports, signal } = place;
  const { step, answered } = planned;
  const start = trace.events[0]?.d ?? {};
  const input = start["input"] as unknown as AgentInput; // what `run.start` records
  const parent: RunParent = { run: runName(trial.folder), start: trace.lines[0]?.h ?? "", step, answered };
  const { task: name, repeat, attempt, agent, taskDigest, imageDigest, deadlineMs } = trial;
  const { kind, workdir } = sandbox;
  const deadline = new AbortController();
  const given = new AbortController();
  const over = AbortSignal.any([deadline.signal, signal]);
  const timer = setTimeout(() => deadline.abort(new DeadlineError(`The time limit of ${deadlineMs} ms is over.`)), timerMs(deadlineMs));
  let fork: Fork | undefined;
  let lose: (error: unknown) => void = () => undefined;
  const lost = new Promise<never>((_, reject) => (lose = reject));
  try {
    const run = ports.run({
      config: other.config,
      task: { ...task, instruction: input.task },
      sandbox,
      agent: "configured",
      seed: typeof start["seed"] === "number" ? start["seed"] : 0,
      folder,
      signal: AbortSignal.any([over, given.signal]),
      deadlineMs,
      meta: {
        forgeVersion: ports.forgeVersion,
        job: "fork",
        agent,
        taskDigest,
        imageDigest,
        deadlineMs,
        sandbox: kind,
        workdir,
        parent,
        trial: { task: name, configuration: other.config.name, repeat, attempt },
      },
      ports(real) {
        fork = forkPorts(trace, planned, real);
        fork.lost.catch(lose);
        return fork.ports;
      },
    });
    return await Promise.race([givenUp(run, over), lost]).catch(async (error: unknown) => {
      given.abort(error);
      const waiting = new AbortController();
      const ended = await Promise.race([run.then(last, last), ports.clock.sleep(endingMs, waiting.signal).then(() => false)]);
      waiting.abort();
      if (fork?.isLive() !== false || !ended || !(error instanceof CannotError)) throw error;
      removeTrace(folder); // what the recording has, and the place that the sentence names
      throw new CannotError(`${error.message} Nothing was run live, and nothing of it is kept.`);
    });
  } finally {
    clearTimeout(timer);
    fork?.close();
  }
}
