import { ConfigError, messageOf } from "../../harness/errors.ts";
import { isSimulated } from "../../harness/contract/resolved-config.ts";
import { listHostFolder } from "../../harness/sandbox/workspace/pack-folder.ts";
import type { SandboxProvider } from "../../harness/sandbox/provider.ts";
import { hasSolution } from "../../tasks/has-solution.ts";
import type { Task } from "../../tasks/task.ts";
import { unsupported } from "../../tasks/unsupported.ts";
import type { Agent } from "../bench-ports.ts";
import type { BenchRequest } from "./bench-request.ts";
import { knowsSolution } from "../trial/sandbox/ready-for-agent.ts";
import { carriedPaths } from "../trial/keep/carried-paths.ts";
import { agentName } from "../trial/trial-key.ts";
import type { Mode } from "../trial/trial-record.ts";

/** A task that is not run, and a finished sentence that says why. */
export interface LeftOut {
  readonly task: string;
  readonly reason: string;
}

/** The tasks of which `check` throws no ConfigError; the others are left out with its sentence. @throws ConfigError, the first one's, where none is good */
export async function whereGood(
  tasks: readonly Task[],
  leftOut: LeftOut[],
  check: (task: Task) => Promise<void> | void,
): Promise<readonly Task[]> {
  const good: Task[] = [];
  let first: ConfigError | undefined;
  for (const task of tasks)
    try {
      await check(task);
      good.push(task);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      first ??= error;
      leftOut.push({ task: task.name, reason: error.message });
    }
  if (good.length === 0 && first) throw first;
  return good;
}

/** What no machine could run as it is meant. @throws ConfigError */
export function refuseMeaningless(task: Task, mode: Mode): void {
  const reason = unsupported(task);
  if (reason !== undefined) throw new ConfigError(reason);
  if (mode !== "hardened") return;
  carriedPaths(task, task.environment.workdir ?? "/app"); // what the image says is looked at once it is built
  if (!task.steps) return;
  if (task.forge?.verify === "live")
    throw new ConfigError(
      `${task.folder}/task.toml: metadata.forge.verify: "live" is for a task of one step: what would keep running beside the tests of a step is ended before the next one; choose verify = "workdir" or "snapshot", or --mode official.`,
    );
  if (task.forge?.tests)
    throw new ConfigError(
      `${task.folder}/task.toml: metadata.forge.tests: the names would be looked for at every step; leave the key out, and have each step's verifier write /logs/verifier/ctrf.json, whose tests must all have passed.`,
    );
}

/** What the simulated model could not play. @throws ConfigError */
export function refuseUnplayable({ folder, plan }: Task, { agent, configurations }: Pick<BenchRequest, "agent" | "configurations">): void {
  if (plan || agent !== "configured" || !configurations.some(isSimulated)) return;
  throw new ConfigError(
    `${folder} has no solution/plan.yaml, so the simulated model cannot play it; write one, or take a real model with --model provider/name.`,
  );
}

/** Of a folder that is copied into the sandbox. @throws ConfigError */
async function refuseLinksOut(folder: string): Promise<void> {
  await listHostFolder(folder).catch((error: unknown) => {
    throw new ConfigError(`${messageOf(error).replace(/\.$/, "")}. Put the file itself there.`);
  });
}

/** What would be wrong with every trial of a task here, told before anything is built. @throws ConfigError; what the provider throws of its own state */
export async function refuseHere(
  task: Task,
  { agent, mode, provider }: { readonly agent: Agent; readonly mode: Mode; readonly provider: SandboxProvider },
): Promise<void> {
  const { folder, environment, verifier, forge, steps } = task;
  if (!hasSolution(task) && agent !== "configured" && agent !== "nop")
    throw new ConfigError(
      `${folder} has no solution/, so agent "${agentName(agent)}" cannot work on it; write solution/solve.sh, or leave the task out with --filter.`,
    );
  if (knowsSolution({ agent })) for (const { solution } of steps ?? [task]) if (solution) await refuseLinksOut(solution.folder);
  const phases = [task, ...(steps ?? [])].flatMap((one) => [one.agent, one.verifier]);
  if (provider.kind !== "docker" && phases.some(({ network }) => network && network.mode !== environment.networkPolicy.mode))
    throw new ConfigError(`${folder}: one of the task's phases has another network, which needs containers; run it with --sandbox docker.`);
  const whole = mode === "hardened" && forge?.verify !== undefined && forge.verify !== "workdir" ? forge.verify : undefined;
  // Where the system is read-only for an agent a snapshot says no more than the declared paths.
  const cure =
    provider.kind !== "docker"
      ? whole === "live"
        ? "--sandbox docker"
        : undefined
      : environment.compose
        ? "a task of one container"
        : undefined;
  if (whole !== undefined && cure !== undefined)
    throw new ConfigError(
      `${folder}/task.toml: metadata.forge.verify: "${whole}" cannot be carried out here; choose ${cure}, or verify = "workdir".`,
    );
  await provider.check?.(environment);
  for (const one of [verifier, ...(steps ?? []).map((step) => step.verifier)]) if (one.environment) await provider.check?.(one.environment);
}
