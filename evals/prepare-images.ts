import { ConfigError, InfraError, messageOf } from "../harness/errors.ts";
import type { PreparedEnvironment, SandboxProvider } from "../harness/sandbox/provider.ts";
import type { Task } from "../tasks/task.ts";
import type { BenchEvent } from "./bench-events.ts";
import { pool } from "./pool.ts";

/** The environment of one task, which may have failed to build. */
export interface TaskImage {
  /**
   * What an attempt starts from; where there is none, `create` says why, so that the attempt has it as its outcome. `retry`: a build that the machinery
   * failed is tried again, twice at most, once for all who ask meanwhile. One that failed by its own Dockerfile stays failed. Never rejects.
   */
  current(o: { readonly retry: boolean }): Promise<PreparedEnvironment>;
}

/** Builds after the first one, where that failed for the machinery's reasons. */
const rebuilds = 2;

interface Building {
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly onEvent: (event: BenchEvent) => void;
}

/** The images of a job, built in the order in which they are needed, while trials already run. */
export interface TaskImages {
  of(task: string): TaskImage;
  /** The first build has ended, well or not: `current` answers at once. */
  ready(task: string): boolean;
  /** Settles when nothing is being built any more and nothing further will be. */
  readonly ended: Promise<void>;
}

/**
 * Begins to build every task's environment, once and `jobs` at a time: one that fails costs its own task's trials their score, and no other's.
 * Answers at once. A stopped job begins no further build.
 */
export function prepareImages(
  tasks: readonly Task[],
  provider: SandboxProvider,
  o: Building & { readonly jobs: number; readonly stopped: () => boolean },
): TaskImages {
  const ready = new Set<string>();
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
  });
  return {
    of(task) {
      const image = images.get(task);
      if (!image) throw new Error(`no image was asked for task ${task}`);
      return image;
    },
    ready: (task) => ready.has(task),
    ended,
  };
}

type Built = { readonly made: PreparedEnvironment } | { readonly error: InfraError };

function taskImage(task: Task, provider: SandboxProvider, o: Building, first: Promise<Built>): TaskImage {
  let built = first;
  let building = false;
  let left = rebuilds;
  return {
    async current({ retry }) {
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
      if ("error" in now) return withoutImage(now.error);
      const { place } = now.made;
      return place ? place().catch((error: unknown) => withoutImage(new InfraError(messageOf(error)))) : now.made;
    },
  };
}

async function build({ name: task, environment }: Task, provider: SandboxProvider, o: Building): Promise<Built> {
  const emit = o.onEvent;
  emit({ type: "image.start", ts: o.now(), task });
  try {
    const onProgress = (line: string): void => emit({ type: "image.line", ts: o.now(), task, line });
    const made = await provider.prepare(environment, { signal: o.signal, onProgress });
    emit({ type: "image.end", ts: o.now(), task, digest: made.digest, deviations: made.deviations });
    return { made };
  } catch (error) {
    if (o.signal.aborted) throw error;
    emit({ type: "image.end", ts: o.now(), task, digest: null, deviations: [], error: messageOf(error) });
    // what could be refused was refused before the job began: this is a step that failed, or a file that changed since
    return { error: error instanceof InfraError ? error : new InfraError(messageOf(error), { lasting: error instanceof ConfigError }) };
  }
}

function withoutImage(error: InfraError): PreparedEnvironment {
  return { digest: "", workdir: "/", deviations: [], create: () => Promise.reject(error) };
}
