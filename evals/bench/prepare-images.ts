import { ConfigError, InfraError, messageOf } from "../../harness/errors.ts";
import type { PreparedEnvironment, SandboxProvider } from "../../harness/sandbox/provider.ts";
import type { Task } from "../../tasks/task.ts";
import type { TaskEnvironment } from "../../tasks/task-environment.ts";
import type { BenchEvent } from "./bench-events.ts";
import { pool } from "../../harness/pool.ts";
import { memoryBytesIn, type Admission, type HostState } from "./schedule/admission.ts";
import { carriedPaths } from "../trial/keep/carried-paths.ts";

/** The environments of one task, which may have failed to build. */
export interface TaskImage {
  /**
   * What an attempt starts from; where there is none, `create` says why, so that the attempt has it as its outcome. `retry`: a build that the machinery
   * failed is tried again, twice at most, once for all who ask meanwhile. One that failed by its own Dockerfile stays failed. Never rejects. `trial`: who asks.
   */
  current(o: { readonly retry: boolean; readonly trial: object }): Promise<AttemptImages>;
}

/** What an attempt's sandboxes are made of. */
export interface AttemptImages {
  readonly prepared: PreparedEnvironment;
  /** Of a verifier that has an environment of its own. */
  readonly verifier?: PreparedEnvironment;
  /** Of a task in steps: the same of each step's verifier, in the steps' order; undefined for one that shares the agent's. */
  readonly stepVerifiers?: readonly (PreparedEnvironment | undefined)[];
}

/** Builds after the first one, where that failed for the machinery's reasons. */
const rebuilds = 2;

interface Building {
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly onEvent: (event: BenchEvent) => void;
  /** The task's trials carry what the agent leaves into another sandbox. */
  readonly hardened: (task: string) => boolean;
  /** What is built has room beside the trials that run. */
  readonly admission: Pick<Admission, "build" | "lend">;
  readonly host: () => Promise<HostState>;
}

/** The images of a job, built in the order in which they are needed, while trials already run. */
export interface TaskImages {
  of(task: string): TaskImage;
  /** The first build has ended, well or not: `current` answers at once. */
  ready(task: string): boolean;
  /** `hear` is called when one more is ready, until the answer is called. */
  onReady(hear: () => void): () => void;
  /** Settles when nothing is being built any more and nothing further will be. */
  readonly ended: Promise<void>;
}

/**
 * Begins to build every task's environments, its verifier's own too, once and `jobs` at a time: one that fails costs its own task's trials their score, and no other's.
 * Answers at once. A stopped job begins no further build.
 */
export function prepareImages(
  tasks: readonly Task[],
  provider: SandboxProvider,
  o: Building & { readonly jobs: number; readonly stopped: () => boolean },
): TaskImages {
  const ready = new Set<string>();
  const hearers = new Set<() => void>();
  const answers = new Map<string, (built: Built) => void>();
  const images = new Map(
    tasks.map((task) => {
      const first = new Promise<Built>((resolve) => answers.set(task.name, resolve));
      return [task.name, taskImage(task, provider, o, first)];
    }),
  );
  const unbuilt = { error: new InfraError("The bench was stopped before this image was built.") };
  const ended = pool(tasks, o.jobs, async (task) => {
    const built = o.stopped() || o.signal.aborted ? unbuilt : await build(task, provider, o).catch(() => unbuilt);
    answers.get(task.name)?.(built);
    ready.add(task.name);
    for (const hear of hearers) hear();
  });
  return {
    of(task) {
      const image = images.get(task);
      if (!image) throw new Error(`no image was requested for task ${task}`);
      return image;
    },
    ready: (task) => ready.has(task),
    onReady(hear) {
      hearers.add(hear);
      return () => void hearers.delete(hear);
    },
    ended,
  };
}

type Built = { readonly made: AttemptImages } | { readonly error: InfraError };

function taskImage(task: Task, provider: SandboxProvider, o: Building, first: Promise<Built>): TaskImage {
  let built = first;
  let building = false;
  let left = rebuilds;
  return {
    current: ({ retry, trial }) => o.admission.lend(task, { trial }, () => current(retry)),
  };

  async function current(retry: boolean): Promise<AttemptImages> {
    const last = building ? undefined : await built;
    const failed = last && "error" in last;
    // An image that was made is looked for again: it may have been removed, and an attempt failed for that.
    if (retry && !building && last && (failed ? !last.error.lasting && left > 0 : true)) {
      if (failed) left -= 1;
      building = true;
      built = build(task, provider, o)
        .catch((error: unknown) => ({ error: new InfraError(messageOf(error)) })) // aborted: the attempt sees that too
        .then((again) => ("error" in again && !failed ? last : again))
        .finally(() => (building = false));
    }
    const now = await built;
    if ("error" in now) return { prepared: withoutImage(now.error) };
    const { prepared, verifier, stepVerifiers } = now.made;
    const places = new Map<PreparedEnvironment, Promise<PreparedEnvironment>>();
    const place = async (made: PreparedEnvironment, environment = task.environment): Promise<PreparedEnvironment> => {
      const known = places.get(made) ?? placed(made, environment);
      places.set(made, known);
      return known;
    };
    return {
      prepared: await placed(prepared, task.environment),
      ...(verifier ? { verifier: await place(verifier, task.verifier.environment) } : {}),
      ...(stepVerifiers
        ? {
            stepVerifiers: await Promise.all(
              stepVerifiers.map(async (made, i) => made && place(made, task.steps?.[i]?.verifier.environment)),
            ),
          }
        : {}),
    };
  }
}

/** Where there are several machines: on one of them. */
async function placed(made: PreparedEnvironment, environment: TaskEnvironment): Promise<PreparedEnvironment> {
  const memoryBytes = memoryBytesIn(environment);
  return made.place ? made.place({ memoryBytes }).catch((error: unknown) => withoutImage(new InfraError(messageOf(error)))) : made;
}

/** All before the agent begins: no model is paid for work that no verifier could look at. */
async function build(of: Task, provider: SandboxProvider, o: Building): Promise<Built> {
  const { name: task, environment, verifier, steps } = of;
  try {
    const prepared = await buildOne({ task }, environment, provider, o);
    if (o.hardened(task)) carriedPaths(of, prepared.workdir);
    const made = new Map<string, PreparedEnvironment>();
    const own = async ({ environment: asked }: Task["verifier"]): Promise<PreparedEnvironment | undefined> => {
      if (!asked) return undefined;
      const key = JSON.stringify(asked);
      const image = made.get(key) ?? (await buildOne({ task, verifier: true }, asked, provider, o));
      made.set(key, image);
      return image;
    };
    const first = await own(verifier);
    const stepVerifiers: (PreparedEnvironment | undefined)[] = [];
    for (const step of steps ?? []) stepVerifiers.push(await own(step.verifier));
    return { made: { prepared, ...(first && { verifier: first }), ...(steps && { stepVerifiers }) } };
  } catch (error) {
    if (o.signal.aborted) throw error;
    // what could be refused was refused before the job began: this is a step that failed, or a file that changed since
    return { error: error instanceof InfraError ? error : new InfraError(messageOf(error), { lasting: error instanceof ConfigError }) };
  }
}

async function buildOne(
  of: { readonly task: string; readonly verifier?: true },
  environment: TaskEnvironment,
  provider: SandboxProvider,
  { now, signal, onEvent: emit, admission, host }: Building,
): Promise<PreparedEnvironment> {
  emit({ type: "image.start", ts: now(), ...of });
  try {
    const onProgress = (line: string): void => emit({ type: "image.line", ts: now(), ...of, line });
    const room = async (bytes: number): Promise<() => void> =>
      admission.build({ task: of.task, bytes, machineBytes: (await host()).memoryBytes, signal });
    const made = await provider.prepare(environment, { signal, onProgress, room });
    emit({ type: "image.end", ts: now(), ...of, digest: made.digest, deviations: [...made.deviations, ...(environment.unread ?? [])] });
    return made;
  } catch (error) {
    if (!signal.aborted) emit({ type: "image.end", ts: now(), ...of, digest: null, deviations: [], error: messageOf(error) });
    throw error;
  }
}

function withoutImage(error: InfraError): PreparedEnvironment {
  return { digest: "", workdir: "/", deviations: [], create: () => Promise.reject(error) };
}
