import { readFile } from "node:fs/promises";
import { DeadlineError } from "../../harness/agent/result.ts";
import { ConfigError } from "../../harness/errors.ts";
import { asUser } from "../../harness/sandbox/as-user.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import { typedSolution } from "../../tasks/formats/terminal-bench/typed-solution.ts";
import type { Solution } from "../../tasks/task.ts";
import type { TrialRun } from "../bench-ports.ts";
import { agentName } from "../trial-key.ts";
import type { AttemptSetting, TrialPlan } from "./plan.ts";
import { createRunSteps } from "./run-steps.ts";
import type { RunTally } from "./run-tally.ts";
import { rootOption } from "./root-option.ts";
import { sandboxPlaces } from "./sandbox-places.ts";
import { withNetwork } from "./switch-network.ts";

/** The longest delay a timer takes. */
const longestTimer = 2 ** 31 - 1;

/** The configuration, not the task, is at fault: no trial of it can work. `cause` is the `ConfigError`. */
export class UnusableConfig extends Error {}

/** The agent that runs a task's solution, or a wrong one: it alone gets the solution's folder and variables. */
export const knowsSolution = ({ agent }: TrialPlan): boolean => agent !== "configured" && agent !== "nop";

/**
 * One run of the agent on the plan's task, as the task's user, with its network, under its time limit. What the run says of the configuration is told
 * apart from what anything else says of the task.
 * @throws UnusableConfig, InfraError
 */
export async function runAgent(plan: TrialPlan, setting: AttemptSetting, sandbox: Sandbox, tally: RunTally): Promise<TrialRun> {
  await makeLogFolders(plan, sandbox, setting.signal);
  await placeSolution(plan, sandbox);
  const { agent, environment } = plan.task;
  return withNetwork(sandbox, environment, agent.network, async () => {
    try {
      const run = await runInTime(plan, setting, asUser(sandbox, agent.user), tally);
      const { outcome } = run.result;
      if (outcome.type !== "error" || outcome.kind !== "config") return run;
      await run.trace.close();
      throw new ConfigError(outcome.message);
    } catch (error) {
      throw error instanceof ConfigError ? new UnusableConfig(error.message, { cause: error }) : error;
    }
  });
}

/** Harbor's runner mounts them, writable by all; imported tasks write there without making them. In hardened mode what lies there is worth nothing. */
async function makeLogFolders({ mode }: TrialPlan, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  if (mode !== "official" || sandbox.kind !== "docker") return;
  const folders = "/logs/agent /logs/verifier /logs/artifacts";
  await sandbox.exec(`mkdir -p ${folders} && chmod 777 ${folders}`, { cwd: "/", signal, ...(await rootOption(sandbox, signal)) });
}

/** Only an agent that runs the solution gets it; the tests are nowhere in the sandbox yet. */
async function placeSolution(plan: TrialPlan, sandbox: Sandbox): Promise<void> {
  const { agent, task } = plan;
  if (!knowsSolution(plan)) return;
  if (!task.solution)
    throw new ConfigError(
      `${task.folder} has no solution/, so agent "${agentName(agent)}" cannot work on it; write solution/solve.sh, or leave the task out with --filter.`,
    );
  const { solution } = await sandboxPlaces(sandbox);
  if (task.format === "harbor") await sandbox.upload(task.solution.folder, solution);
  else await sandbox.writeFile(`${solution}/solve.sh`, await asScript(task.solution), { mode: 0o755 });
}

/** Terminal-Bench 1: the script itself, or one that types what a person would. */
async function asScript({ script, commands = [] }: Solution): Promise<Uint8Array> {
  return script === undefined ? Buffer.from(typedSolution(commands)) : readFile(script);
}

async function runInTime(plan: TrialPlan, setting: AttemptSetting, sandbox: Sandbox, tally: RunTally): Promise<TrialRun> {
  const deadlineMs = plan.task.agent.timeoutMs;
  const deadline = new AbortController();
  const steps = createRunSteps();
  const late = (): void => deadline.abort(new DeadlineError(`The agent's time limit of ${deadlineMs} ms is over.`));
  const timer = setTimeout(late, Math.min(deadlineMs, longestTimer));
  try {
    return await setting.ports.run({
      config: plan.config,
      task: plan.task,
      sandbox,
      agent: plan.agent,
      seed: plan.seed,
      folder: setting.folder,
      signal: AbortSignal.any([deadline.signal, setting.signal]),
      deadlineMs,
      meta: {
        forgeVersion: setting.ports.forgeVersion,
        job: setting.job,
        trial: { key: plan.key, task: plan.task.name, configuration: plan.configuration, repeat: plan.repeat, attempt: setting.attempt },
        agent: agentName(plan.agent),
        mode: plan.mode,
        taskDigest: plan.task.digest,
        imageDigest: setting.prepared.digest,
        sandbox: plan.sandbox,
        workdir: sandbox.workdir,
        deadlineMs,
      },
      onEvent(event) {
        tally.add(event);
        const step = steps(event);
        if (step) setting.onStep?.(step);
      },
    });
  } finally {
    clearTimeout(timer);
  }
}
