import type { Service } from "../../../harness/sandbox/compose.ts";
import type { Capacity } from "../../../harness/sandbox/provider.ts";
import type { Task } from "../../../tasks/task.ts";
import type { TaskEnvironment } from "../../../tasks/task-environment.ts";

const mib = 1024 ** 2;
/** Of a machine's memory, for what is carried out again; the rest is its own. */
const memoryShare = 0.9;

interface Cut {
  readonly what: "MiB of memory" | "processors" | "processes";
  readonly asked: number;
  readonly has: number;
}

/**
 * The task with no container that may take more memory, processors or processes than the machine has, the smallest where there are several: what was
 * recorded, or is asked for, may come from a larger one. `why`: what was cut, as a sentence; undefined where nothing was.
 */
export function withinMachine(task: Task, capacity: Capacity | undefined): { readonly task: Task; readonly why?: string } {
  if (!capacity) return { task };
  const machines = capacity.machines ?? [capacity];
  const most = {
    cpus: Math.min(...machines.map(({ cpus }) => cpus)),
    memoryMb: Math.floor((Math.min(...machines.map(({ memoryBytes }) => memoryBytes)) * memoryShare) / mib),
    pids: capacity.pids,
  };
  const cuts = new Map<string, Cut>();
  const atMost = (what: Cut["what"], asked: number, has: number | undefined): number => {
    if (has === undefined || asked <= has) return asked;
    const known = cuts.get(what);
    if (!known || known.asked < asked) cuts.set(what, { what, asked, has });
    return has;
  };
  const bounded = <T extends Pick<Service, "cpus" | "memoryMb" | "pids">>(one: T): T => ({
    ...one,
    ...(one.cpus === undefined ? {} : { cpus: atMost("processors", one.cpus, most.cpus) }),
    ...(one.memoryMb === undefined ? {} : { memoryMb: atMost("MiB of memory", one.memoryMb, most.memoryMb) }),
    ...(one.pids === undefined ? {} : { pids: atMost("processes", one.pids, most.pids) }),
  });
  const within = (environment: TaskEnvironment): TaskEnvironment => {
    const { guard, compose } = environment;
    return {
      ...bounded(environment),
      ...(guard ? { guard: bounded(guard) } : {}),
      ...(compose ? { compose: { ...compose, services: compose.services.map(bounded) } } : {}),
    };
  };
  const own = <T extends { readonly verifier: Task["verifier"] }>(of: T): T => ({
    ...of,
    verifier: {
      ...of.verifier,
      ...(of.verifier.environment && { environment: { ...of.verifier.environment, ...within(of.verifier.environment) } }),
    },
  });
  const { steps } = task;
  const cut = own({ ...task, environment: within(task.environment), ...(steps && { steps: steps.map(own) }) });
  if (cuts.size === 0) return { task };
  const said = [...cuts.values()].map(({ what, asked, has }) => `${has} in place of ${asked} ${what}`);
  return {
    task: cut,
    why: `This machine is smaller than what the trial's containers may take, so they get less: ${said.join(", ")}; results may differ for that reason alone.`,
  };
}
