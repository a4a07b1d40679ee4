import { join } from "node:path";
import pc from "picocolors";
import { ConfigError } from "../../harness/errors.ts";
import { prepareForgeFolder } from "../../harness/sandbox/workspace/checkpoint.ts";
import type { BenchPorts } from "../../evals/bench-ports.ts";
import { count, dollars, plural } from "../../reports/text/format.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { loadRecording } from "../../traces/replay/verify/load-recording.ts";
import { planFork, type PlannedFork } from "../../traces/replay/fork/plan-fork.ts";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import { replayParts } from "../../assembly/registry.ts";
import { findAllRuns } from "../../traces/store/find-runs.ts";
import { interruptible } from "../shared/interruptible.ts";
import { isPaid } from "../../harness/models/providers/is-paid.ts";
import { openTrial } from "../../evals/reopen/open-trial.ts";
import { otherConfig, type OtherConfig } from "../../traces/replay/dry/other-config.ts";
import { forkTrial, type ForkedTrial } from "../../evals/reopen/fork-trial.ts";
import type { LiveFlags } from "./options.ts";
import { runId } from "../run/run-task.ts";
import { runName } from "../../traces/read/run-name.ts";
import { sayTorn } from "../shared/say-torn.ts";

/** L3: a recorded trial as it was up to where another configuration acts differently, then live, as a run of its own; answers the exit code. */
export async function liveReplay(folders: readonly string[], flags: LiveFlags): Promise<number> {
  const runs = await findAllRuns(folders);
  const [run] = runs;
  if (run === undefined || runs.length > 1)
    throw new ConfigError(
      `forge replay live needs one run, and ${folders.join(" ")} holds ${runs.length}; name the folder of one attempt.`,
    );
  const trace = await loadRecording(run);
  sayTorn(run, trace.torn);
  const other = await otherConfig(flags.config, { cwd: process.cwd(), ...replayParts({ trust: flags.trust === true }) })(trace.events);
  const planned = await planFork(trace, { ...other, ...(flags.from === undefined ? {} : { from: flags.from }) });
  if (!planned) {
    const text = "nothing would differ, so nothing was run (--from TURN continues live anyway)";
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
  const forked = await interruptible(({ stop }) =>
    forkTrial({
      trace,
      trial,
      planned,
      other,
      newFolder: async () => join(await prepareForgeFolder(process.cwd()), "runs", `${runId()}-from-${planned.step}`),
      place: {
        task: flags.task,
        sandbox: flags.sandbox,
        taskEnv: flags.taskEnv,
        ports,
        signal: stop,
        warn: (sentence) => void process.stderr.write(`${sentence}\n`),
      },
    }),
  );
  show(runName(run), planned, forked, flags.json === true);
  const { outcome } = forked.result;
  return outcome.type === "cancelled" ? 130 : outcome.type === "error" ? (outcome.kind === "config" ? 2 : 3) : 0;
}

/** Nobody is charged by a command that only looks like a replay. */
async function refusePaid(ports: BenchPorts, { config }: OtherConfig, yes: boolean): Promise<void> {
  if (yes || !isPaid(config.model, await ports.identify(config, "configured"), process.env)) return;
  throw new ConfigError(`forge replay live calls ${config.model.name} and may incur cost; add --yes to continue.`);
}

function describePlan(run: string, { step, answered, divergence, otherModel }: PlannedFork): string {
  const why = divergence ? `: ${divergence.what}` : otherModel ? ": another model" : "";
  return `${oneLine(run)}: ${step === 0 ? "live from the start" : `live from ${answered ? "the reply of " : ""}turn ${step} on, as recorded before`}${oneLine(why)}`;
}

function show(run: string, { step, answered, divergence }: PlannedFork, forked: ForkedTrial, json: boolean): void {
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
