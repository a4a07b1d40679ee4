import type { Bounds, CreateOptions } from "../../../harness/sandbox/provider.ts";
import type { SandboxKind } from "../../../harness/sandbox/sandbox.ts";
import type { Task } from "../../../tasks/task.ts";
import type { TaskEnvironment } from "../../../tasks/task-environment.ts";
import type { Mode, TrialRecord } from "../trial-record.ts";

const mib = 1024 ** 2;
/** Of what an agent may leave where no storage bound holds it. */
const unboundMib = 1024;
const mostMib = 4096;

/** What decides whether a task is held to bounds of the bench's. */
interface Place {
  readonly mode: Mode;
  readonly sandbox: SandboxKind;
}

/** The task with the machine's guard for whatever it leaves open. Official mode keeps the task's meaning; only containers have such bounds. */
export function guarded(task: Task, o: Place & { readonly guard: Required<Bounds> }): Task {
  const { mode, sandbox, guard } = o;
  if (mode !== "hardened" || sandbox !== "docker") return task;
  const own = ({ environment, ...verifier }: Task["verifier"]): Task["verifier"] => ({
    ...verifier,
    ...(environment && { environment: { ...environment, guard } }),
  });
  const steps = task.steps?.map((step) => ({ ...step, verifier: own(step.verifier) }));
  return { ...task, environment: { ...task.environment, guard }, verifier: own(task.verifier), ...(steps && { steps }) };
}

/** What a container of this environment may take: what the task says, else the guard. */
export function limitsOf({
  cpus,
  memoryMb,
  storageMb,
  guard,
}: TaskEnvironment): Pick<CreateOptions, "cpus" | "memoryMb" | "storageMb" | "pids" | "services"> {
  const memory = memoryMb ?? guard?.memoryMb;
  const storage = storageMb ?? guard?.storageMb;
  return {
    ...(cpus === undefined ? {} : { cpus }),
    ...(memory === undefined ? {} : { memoryMb: memory }),
    ...(storage === undefined ? {} : { storageMb: storage }),
    ...(guard?.pids === undefined ? {} : { pids: guard.pids }),
    ...(guard ? { services: guard } : {}),
  };
}

/**
 * How many bytes an agent may add to a declared path, so that verification still carries them: as many as its container may have before it is removed,
 * twice its storage bound. The bound counts blocks on a disk; here a file's holes count too, because a copy of it has none.
 */
export function carriedBytes({
  task: { environment },
  sandbox,
}: Pick<Place, "sandbox"> & { readonly task: Pick<Task, "environment"> }): number {
  const storage = sandbox === "docker" ? (environment.storageMb ?? environment.guard?.storageMb) : undefined;
  return Math.min(storage === undefined ? unboundMib : 2 * storage, mostMib) * mib;
}

/**
 * How many files, folders and links an agent may add to a declared path, so that verification still carries them. Empty ones take no bytes, and each costs
 * this machine and the daemon a fraction of a millisecond several times over.
 */
export const carriedEntries = 100_000;

/** Which bounds held for the agent's container, and whether its task had asked for them; null where there were none. */
export function boundsOf({ task, sandbox }: Pick<Place, "sandbox"> & { readonly task: Task }): NonNullable<TrialRecord["bounds"]> | null {
  if (sandbox !== "docker") return null;
  const { guard, ...environment } = task.environment;
  const of = (key: "memoryMb" | "storageMb"): Record<string, { value: number; from: "task" | "bench" }> => {
    const value = environment[key] ?? guard?.[key];
    return value === undefined ? {} : { [key]: { value, from: environment[key] === undefined ? "bench" : "task" } };
  };
  const bounds = { ...of("memoryMb"), ...of("storageMb"), ...(guard?.pids && { pids: { value: guard.pids, from: "bench" as const } }) };
  return Object.keys(bounds).length > 0 ? bounds : null;
}
