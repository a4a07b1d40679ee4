import { join } from "node:path";
import pc from "picocolors";
import { DeadlineError, type AgentInput, type RunResult } from "../../harness/contract/run-result.ts";
import { isSimulated } from "../../harness/config/is-simulated.ts";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import { prepareForgeFolder } from "../../harness/sandbox/workspace/checkpoint.ts";
import { timerMs } from "../../harness/timer-ms.ts";
import type { BenchPorts } from "../../evals/bench-ports.ts";
import { givenUp } from "../../evals/trial/attempt/given-up.ts";
import { count, dollars, plural } from "../../reports/text/format.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine } from "../../harness/text/printable.ts";
import type { LoadedTrace } from "../../traces/read/load-trace.ts";
import type { RunParent } from "../../traces/read/run-parent.ts";
import { removeTrace } from "../../traces/keep/remove-trace.ts";
import { eventsBefore, forkPorts, type Fork } from "../../traces/replay/fork/fork-ports.ts";
import { loadRecording } from "../../traces/replay/verify/load-recording.ts";
import { planFork, type PlannedFork } from "../../traces/replay/fork/plan-fork.ts";
import { recordedCalls, reExecute } from "../../traces/replay/tools/re-execute.ts";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import { replayParts } from "../../assembly/registry.ts";
import { findAllRuns } from "../../traces/store/find-runs.ts";
import { interruptible } from "../shared/interruptible.ts";
import { sandboxOption } from "../shared/sandbox-option.ts";
import { isPaid } from "../../harness/models/providers/is-paid.ts";
import { openTrial, type OpenedTrial } from "../../evals/reopen/open-trial.ts";
import { otherConfig, type OtherConfig } from "../../traces/replay/dry/other-config.ts";
import { hashOf } from "./replay-tools.ts";
import { runId } from "../run/run-task.ts";
import { systemClock } from "../../harness/system-ports.ts";
import { inTrialSandbox } from "../../evals/reopen/trial-sandbox.ts";
import { runName } from "../../traces/read/run-name.ts";
import { sayTorn } from "../shared/say-torn.ts";
import { asHere, trialTools } from "../../evals/reopen/trial-tools.ts";

export interface LiveFlags {
  readonly config: string;
  /** A turn of the main conversation. */
  readonly from?: number;
  readonly sandbox?: string;
  readonly taskEnv?: readonly string[];
  readonly task?: string;
  readonly trust?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface Forked {
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

/** L3: a recorded trial as it was up to where another configuration acts differently, then live, as a run of its own; answers the exit code. */
export async function liveReplay(folders: readonly string[], flags: LiveFlags): Promise<number> {
  const runs = await findAllRuns(folders);
  const [run] = runs;
  if (run === undefined || runs.length > 1)
    throw new ConfigError(`--live needs one run, and ${folders.join(" ")} holds ${runs.length}; name the folder of one attempt.`);
  const trace = await loadRecording(run);
  sayTorn(run, trace.torn);
  const other = await otherConfig(flags.config, { cwd: process.cwd(), ...replayParts({ trust: flags.trust === true }) })(trace.events);
  const planned = await planFork(trace, { ...other, ...(flags.from === undefined ? {} : { from: flags.from }) });
  if (!planned) {
    const text = "nothing would differ: nothing was run (--from goes on live from a turn all the same)";
    process.stdout.write(
      flags.json
        ? `${jsonLine({ type: "fork", run: runName(run), live: false, text })}\n`
        : `${pc.green("✓")} ${oneLine(runName(run))}: ${text}\n`,
    );
    return 0;
  }
  const trial = await openTrial(run);
  const ports = await createBenchPorts(process.env);
  await refusePaid(ports, other, flags.yes === true);
  if (!flags.json) process.stderr.write(`${describePlan(runName(run), planned)}\n`);
  const forked = await interruptible(({ stop }) => goOn({ trace, trial, planned, other, ports, flags, signal: stop }));
  show(runName(run), planned, forked, flags.json === true);
  const { outcome } = forked.result;
  return outcome.type === "cancelled" ? 130 : outcome.type === "error" ? (outcome.kind === "config" ? 2 : 3) : 0;
}

/** Nobody is charged by a command that only looks like a replay. */
async function refusePaid(ports: BenchPorts, { config }: OtherConfig, yes: boolean): Promise<void> {
  if (yes || !isPaid(config.model, await ports.identify(config, "configured"), process.env)) return;
  throw new ConfigError(`--live asks ${config.model.name} for real, and that is paid for, or may be; add --yes to go on.`);
}

interface GoingOn {
  readonly trace: LoadedTrace;
  readonly trial: OpenedTrial;
  readonly planned: PlannedFork;
  readonly other: OtherConfig;
  readonly ports: BenchPorts;
  readonly flags: LiveFlags;
  readonly signal: AbortSignal;
}

async function goOn({ trace, trial, planned, other, ports, flags, signal }: GoingOn): Promise<Forked> {
  const { step, answered } = planned;
  const before = eventsBefore(trace.events, planned);
  const notes: string[] = [];
  const say = (line: string): void => void (line.includes("differ") && notes.push(line));
  return inTrialSandbox(
    trial,
    {
      task: flags.task,
      sandbox: sandboxOption(flags.sandbox),
      taskEnv: flags.taskEnv,
      plan: isSimulated(other.config),
      ports,
      signal,
      say,
    },
    async (sandbox, task, whole) => {
      const calls = await reExecute(recordedCalls(before), trialTools(trial, sandbox), { signal, expected: asHere(trial, sandbox) });
      const start = trace.events[0]?.d ?? {};
      const input = start["input"] as unknown as AgentInput; // what `run.start` records
      const parent: RunParent = { run: runName(trial.folder), start: trace.lines[0]?.h ?? "", step, answered };
      const { task: name, repeat, attempt, agent, taskDigest, deadlineMs } = trial;
      const folder = join(await prepareForgeFolder(process.cwd()), "runs", `${runId()}-from-${step}`);
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
            imageDigest: trial.imageDigest,
            deadlineMs,
            sandbox: sandbox.kind,
            workdir: sandbox.workdir,
            parent,
            trial: { task: name, configuration: other.config.name, repeat, attempt },
          },
          ports(real) {
            fork = forkPorts(trace, planned, real);
            fork.lost.catch(lose);
            return fork.ports;
          },
        });
        const { result, trace: recorded } = await Promise.race([givenUp(run, over), lost]).catch(async (error: unknown) => {
          given.abort(error);
          const waiting = new AbortController();
          const ended = await Promise.race([run.then(last, last), systemClock.sleep(endingMs, waiting.signal).then(() => false)]);
          waiting.abort();
          if (fork?.isLive() !== false || !ended || !(error instanceof CannotError)) throw error;
          removeTrace(folder); // what the recording has, and the place that the sentence names
          throw new CannotError(`${error.message} Nothing was run live, and nothing of it is kept.`);
        });
        const workspaceHash = await hashOf(whole).catch(() => null);
        await recorded.seal(workspaceHash === null ? {} : { workspaceHash });
        return { folder, result, carriedOut: calls.length, differ: calls.filter(({ same }) => !same).length, notes };
      } finally {
        clearTimeout(timer);
        fork?.close();
      }
    },
  );
}

function describePlan(run: string, { step, answered, divergence, otherModel }: PlannedFork): string {
  const why = divergence ? `: ${divergence.what}` : otherModel ? ": another model" : "";
  return `${oneLine(run)}: ${step === 0 ? "live from its beginning on" : `live from ${answered ? "the reply of " : ""}turn ${step} on, as recorded before`}${oneLine(why)}`;
}

function show(run: string, { step, answered, divergence }: PlannedFork, forked: Forked, json: boolean): void {
  const { folder, result, carriedOut, differ, notes } = forked;
  if (json) {
    const told = {
      folder,
      step,
      answered,
      divergence: divergence ?? null,
      carriedOut,
      differ,
      notes,
      outcome: result.outcome,
      spent: result.spent,
    };
    process.stdout.write(`${jsonLine({ type: "fork", run, live: true, ...told })}\n`);
    return;
  }
  const { turns, input, output, costUsd } = result.spent;
  const parts = [
    `${plural(carriedOut, "recorded call")} carried out again${differ > 0 ? `, ${differ} with another result: the sandbox may not be as it was` : ""}`,
    `ended ${result.outcome.type} after ${plural(turns, "turn")}, ${count(input)}/${count(output)} tokens, ${dollars(costUsd)}`,
    ...notes,
  ];
  process.stdout.write(`${pc.green("✓")} ${oneLine(folder)}: ${oneLine(parts.join("; "))}\n`);
}
