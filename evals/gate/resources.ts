import { plural } from "../../harness/text/figures.ts";
import type { Task } from "../../tasks/task.ts";
import { line, type CheckLine } from "./check-line.ts";

/** What trials of the solution took, the most of each; left out where this kind of sandbox cannot tell. */
export interface Measured {
  /** Milliseconds inside of the agent's calls, and of all that came before and after them. */
  readonly agentMs: number;
  readonly restMs: number;
  readonly memoryPeakBytes?: number;
  readonly storagePeakBytes?: number;
  /** Times the kernel ended or refused something because of a limit. */
  readonly refusals?: number;
}

/** What a solution may take of a limit, so that another machine, or another solution, has room. */
const room = 0.5;

/** The solution stays well within the limits that the task states. */
export function withinLimits(task: Task, runs: readonly Measured[]): CheckLine[] {
  const check = "resources within limits";
  const { cpus, memoryMb, storageMb } = task.environment;
  const missing = Object.entries({ cpus, memory_mb: memoryMb }).flatMap(([key, value]) => (value === undefined ? [key] : []));
  const most = (of: (run: Measured) => number | undefined): number | undefined => {
    const known = runs.map(of).filter((value) => value !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  };
  // All steps of a task are measured together.
  const allowed = (of: (phase: Pick<Task, "agent" | "verifier">) => number): number =>
    (task.steps ?? [task]).reduce((sum, phase) => sum + of(phase), 0);
  const memory = most((run) => run.memoryPeakBytes);
  const told: string[] = [];
  if (missing.length > 0) told.push(`[environment] does not state ${missing.join(", ")}`);
  const over = (what: string, used: number | undefined, limit: number | undefined, unit: string): void => {
    if (used !== undefined && limit !== undefined && used > limit * room)
      told.push(`the solution took ${Math.ceil(used)} ${unit} of ${what}, more than half of the ${limit} allowed`);
  };
  over("the agent's time", seconds(most((run) => run.agentMs)), seconds(allowed(({ agent }) => agent.timeoutMs)), "s");
  over("the verifier's time", seconds(most((run) => run.restMs)), seconds(allowed(({ verifier }) => verifier.timeoutMs)), "s");
  over("memory", mib(memory), memoryMb, "MB");
  over("storage", mib(most((run) => run.storagePeakBytes)), storageMb, "MB");
  const refusals = most((run) => run.refusals) ?? 0;
  if (refusals > 0) told.push(`a limit of memory or processes was met ${plural(refusals, "time")}`);
  return [
    line(
      check,
      told.length === 0,
      `${told.join("; ")}.`,
      memory === undefined ? "only times: this kind of sandbox measures no memory" : undefined,
    ),
  ];
}

const seconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);
const mib = (bytes: number | undefined): number | undefined => (bytes === undefined ? undefined : bytes / 1024 ** 2);
